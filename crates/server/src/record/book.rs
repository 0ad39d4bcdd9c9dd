//! What waits to be written.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use tollgate_catalog::{Ended, Noted};
use tollgate_core::Timestamp;

use super::strangers::Strangers;

/// The most that waits of each kind: whoever floods us gets no more of our memory than this.
pub(super) const WAITING_MAX: usize = 256;

/// What goes on record; copies are of the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    book: Arc<Book>,
}

#[derive(Debug, Default)]
struct Book {
    waiting: Mutex<Waiting>,
    dropped: AtomicU64,
}

/// What was done has a room of its own, which nobody can fill who is turned away.
#[derive(Debug, Default)]
struct Waiting {
    done: VecDeque<Noted>,
    refused: VecDeque<Noted>,
    strangers: Strangers,
}

/// The most rows that are taken at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Most {
    pub(super) done: usize,
    pub(super) refused: usize,
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
        let room = match noted.ended {
            Ended::Done => &mut waiting.done,
            _ => &mut waiting.refused,
        };
        if let Some(same) = room.iter_mut().find(|other| is_alike(other, &noted)) {
            same.times = same.times.saturating_add(noted.times);
            return;
        }
        if room.len() < WAITING_MAX {
            room.push_back(noted);
        } else {
            self.book.dropped.fetch_add(noted.times, Relaxed);
        }
    }

    /// Puts on record that a caller was turned away that proved nothing, with others like it.
    pub(crate) fn note_stranger(&self, noted: Noted) {
        self.waiting().strangers.note(noted);
    }

    /// The oldest that wait, at most so many; what was done comes first. `now` is by the steady clock.
    pub(super) fn taken(&self, most: Most, now: Timestamp) -> Vec<Noted> {
        let mut waiting = self.waiting();
        // Strangers are counted on where there is no room for their rows.
        if waiting.refused.len() < WAITING_MAX / 2 {
            let due = waiting.strangers.due(now);
            waiting.refused.extend(due);
        }
        let done = waiting.done.len().min(most.done);
        let mut taken: Vec<Noted> = waiting.done.drain(..done).collect();
        let refused = waiting.refused.len().min(most.refused);
        taken.extend(waiting.refused.drain(..refused));
        taken
    }

    /// Puts back what could not be written, as far as there is room.
    pub(super) fn returned(&self, noted: Vec<Noted>) {
        for noted in noted {
            self.note(noted);
        }
    }

    /// Takes what is merged for an hour before the hour is over.
    pub(super) fn hurry(&self) {
        let mut waiting = self.waiting();
        let all = waiting.strangers.all();
        waiting.refused.extend(all);
    }

    /// Gives up what still waits, and counts it as dropped.
    pub(super) fn give_up(&self) {
        let mut waiting = std::mem::take(&mut *self.waiting());
        let strangers = waiting.strangers.all();
        let left = waiting.done.iter().chain(&waiting.refused);
        let times: u64 = left.chain(&strangers).map(|noted| noted.times).sum();
        self.book.dropped.fetch_add(times, Relaxed);
    }

    /// How many were dropped since this was asked last.
    pub(super) fn dropped(&self) -> u64 {
        self.book.dropped.swap(0, Relaxed)
    }

    /// What waits, as `action object times`.
    #[cfg(test)]
    pub(crate) fn told(&self) -> Vec<String> {
        let mut waiting = self.waiting();
        let strangers = waiting.strangers.all();
        let all = waiting.done.iter().chain(&waiting.refused);
        all.chain(&strangers)
            .map(|it| format!("{} {} {}", it.action, it.object.1, it.times))
            .collect()
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        let waiting = self.book.waiting.lock();
        // Whoever panicked left lists behind that are still lists.
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
    use tollgate_catalog::Author;

    use super::{super::strangers::GROUPS_MAX, *};

    const ALL: Most = Most {
        done: usize::MAX,
        refused: usize::MAX,
    };

    const NOW: Timestamp = Timestamp::from_secs(1_000);

    fn noted(name: &str, ended: Ended) -> Noted {
        Noted {
            author: Author::new(name).calling_from("127.0.0.1").by_request("a"),
            action: "listRules".into(),
            object: ("route".into(), "GET /ratelimit/rules".into()),
            before: None,
            after: None,
            ended,
            times: 1,
        }
    }

    // Proves: O2
    #[test]
    fn what_is_alike_is_counted_and_the_rest_is_bounded() {
        let record = Record::new();
        for _ in 0..1_000 {
            record.note(noted("a", Ended::Refused));
        }
        for number in 0..WAITING_MAX {
            record.note(noted(&format!("b{number}"), Ended::Refused));
        }
        assert_eq!(record.dropped(), 1);
        assert_eq!(record.dropped(), 0);
        let one = Most {
            done: 0,
            refused: 1,
        };
        let first = record.taken(one, NOW);
        assert_eq!((first.len(), first[0].times), (1, 1_000));
        assert_eq!(record.taken(ALL, NOW).len(), WAITING_MAX - 1);
        record.returned(first);
        record.give_up();
        assert_eq!((record.dropped(), record.taken(ALL, NOW).len()), (1_000, 0));
    }

    /// While the database is away nothing that strangers do is lost, and nothing grows.
    // Proves: O2
    #[test]
    fn what_strangers_do_waits_for_room() {
        let record = Record::new();
        for number in 0..WAITING_MAX {
            record.note(noted(&format!("b{number}"), Ended::Refused));
        }
        for number in 0..1_000 {
            record.note_stranger(noted(&format!("c{number}"), Ended::Refused));
        }
        let none = Most {
            done: 0,
            refused: 0,
        };
        for hour in 0..100 {
            let now = Timestamp::from_secs(1_000 + hour * 3_600);
            assert_eq!(record.taken(none, now), []);
        }
        assert_eq!(record.taken(ALL, NOW).len(), WAITING_MAX);
        record.hurry();
        let strangers = record.taken(ALL, NOW);
        assert_eq!(strangers.len(), GROUPS_MAX + 1);
        assert_eq!(strangers.iter().map(|row| row.times).sum::<u64>(), 1_000);
        assert_eq!(record.dropped(), 0);
        record.note_stranger(noted("c", Ended::Refused));
        record.give_up();
        assert_eq!(record.dropped(), 1);
    }

    // Proves: O2
    #[test]
    fn refusals_leave_room_for_what_was_done() {
        let record = Record::new();
        for number in 0..2 * WAITING_MAX {
            record.note(noted(&format!("b{number}"), Ended::Refused));
        }
        record.note(noted("dana", Ended::Done));
        let most = Most {
            done: 50,
            refused: 10,
        };
        let taken = record.taken(most, NOW);
        assert_eq!(taken.len(), 11);
        assert_eq!(
            (taken[0].author.name(), taken[0].ended),
            ("dana", Ended::Done)
        );
    }
}
