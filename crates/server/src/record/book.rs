//! What waits to be written.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use tollgate_catalog::Noted;

/// The most that waits: whoever floods us gets no more of our memory than this.
pub(super) const WAITING_MAX: usize = 256;

/// What goes on record; copies are of the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    book: Arc<Book>,
}

#[derive(Debug, Default)]
struct Book {
    waiting: Mutex<VecDeque<Noted>>,
    dropped: AtomicU64,
}

impl Record {
    /// Nothing waits.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Puts something on record, soon. What is like something that waits is counted with it; where there is no room
    /// it is dropped, and counted as that.
    pub(crate) fn note(&self, noted: Noted) {
        let mut waiting = self.waiting();
        if let Some(same) = waiting.iter_mut().find(|other| is_alike(other, &noted)) {
            same.times = same.times.saturating_add(noted.times);
            return;
        }
        if waiting.len() < WAITING_MAX {
            waiting.push_back(noted);
        } else {
            self.book.dropped.fetch_add(noted.times, Relaxed);
        }
    }

    /// The oldest that wait, at most so many.
    pub(super) fn taken(&self, most: usize) -> Vec<Noted> {
        let mut waiting = self.waiting();
        let count = waiting.len().min(most);
        waiting.drain(..count).collect()
    }

    /// Puts back what could not be written, as far as there is room.
    pub(super) fn returned(&self, noted: Vec<Noted>) {
        for noted in noted {
            self.note(noted);
        }
    }

    /// How many were dropped since this was asked last.
    pub(super) fn dropped(&self) -> u64 {
        self.book.dropped.swap(0, Relaxed)
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, VecDeque<Noted>> {
        let waiting = self.book.waiting.lock();
        // Whoever panicked left a list behind that is still one.
        waiting.unwrap_or_else(PoisonError::into_inner)
    }
}

/// The same by the same from the same place; requests have ids of their own.
fn is_alike(one: &Noted, other: &Noted) -> bool {
    one.action == other.action
        && one.object == other.object
        && one.ended == other.ended
        && one.author.name() == other.author.name()
        && one.author.from() == other.author.from()
        && one.author.reason() == other.author.reason()
        && one.after == other.after
}

#[cfg(test)]
mod tests {
    use tollgate_catalog::{Author, Ended};

    use super::*;

    fn noted(name: &str) -> Noted {
        Noted {
            author: Author::new(name).calling_from("127.0.0.1").by_request("a"),
            action: "listRules".into(),
            object: ("route".into(), "GET /ratelimit/rules".into()),
            before: None,
            after: None,
            ended: Ended::Refused,
            times: 1,
        }
    }

    // Proves: O2
    #[test]
    fn what_is_alike_is_counted_and_the_rest_is_bounded() {
        let record = Record::new();
        for _ in 0..1_000 {
            record.note(noted("a"));
        }
        for number in 0..WAITING_MAX {
            record.note(noted(&format!("b{number}")));
        }
        assert_eq!(record.dropped(), 1);
        assert_eq!(record.dropped(), 0);
        let first = record.taken(1);
        assert_eq!((first.len(), first[0].times), (1, 1_000));
        assert_eq!(record.taken(usize::MAX).len(), WAITING_MAX - 1);
        record.returned(first);
        assert_eq!(record.taken(10).len(), 1);
    }
}
