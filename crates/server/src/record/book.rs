//! What waits to be written.

use std::{
    collections::VecDeque,
    fmt::Write as _,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::time::{MissedTickBehavior, interval, timeout};
use tollgate_catalog::{Author, Catalog, Ended, Noted};
use tollgate_core::{Clock as _, SystemClock, Timestamp};
use tollgate_rules::Query;

use super::strangers::Strangers;
use crate::{authority::Actor, stop::Stop, telemetry::Recorder};

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

/// Which counters: in words, by the facts of the request that they count.
#[derive(Clone, Debug)]
pub(crate) struct Counters(String);

/// The most of it that goes on record.
const CHARS_MAX: usize = 1_000;

impl Counters {
    /// Those that a request meets, of one rule if it is named. A path may hold anything, so of what is asked only what
    /// names people goes on record.
    pub(crate) fn of(query: &Query<'_>, rule: Option<&str>) -> Self {
        let mut words = String::new();
        let address = query.ip_address().map(|address| address.to_string());
        let facts = [
            ("rule", rule),
            ("user_id", query.user_name()),
            ("org_id", query.org_name()),
            ("api_key", query.api_key_id().map(told)),
            ("ip", address.as_deref()),
            ("endpoint", query.path()),
        ];
        for (name, value) in facts {
            if let Some(value) = value {
                let space = if words.is_empty() { "" } else { " " };
                // Writing to a text cannot fail.
                write!(words, "{space}{name}={value}").unwrap_or_default();
            }
        }
        Self(words.chars().take(CHARS_MAX).collect())
    }
}

/// The id of a key that was issued here; what it is elsewhere may be the key itself.
fn told(key: &str) -> &str {
    let number = key.strip_prefix('k').unwrap_or_default();
    let is_ours = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    if is_ours { key } else { "…" }
}

impl Record {
    /// Puts on record that counters were made fresh.
    pub(crate) fn reset(&self, author: Author, counters: Counters) {
        self.note(Noted {
            author,
            action: "counter.reset".into(),
            object: ("counter".into(), counters.0.into()),
            before: None,
            after: None,
            ended: Ended::Done,
            times: 1,
        });
    }

    /// Puts on record that counters which Redis may have lost are trusted.
    pub(crate) fn trusted(&self, author: Author) {
        self.note(Noted {
            author,
            action: "redis.trust".into(),
            object: ("redis".into(), "*".into()),
            before: None,
            after: None,
            ended: Ended::Done,
            times: 1,
        });
    }

    /// As [`Record::reset`], by somebody on a listener for decisions.
    pub(crate) fn reset_by(&self, actor: &Actor, from: Option<String>, counters: Counters) {
        let author = Author::new(&actor.name).acting_as(actor.role.word());
        let author = match from {
            Some(from) => author.calling_from(&from),
            None => author,
        };
        self.reset(author, counters);
    }
}

/// How often what waits is written.
const EVERY: Duration = Duration::from_secs(1);
/// The most rows of one time: a flood fills the record no faster, and those who are turned away fill it slowest.
const EACH_TIME: Most = Most { done: 50, refused: 10 };
/// How long a write may take.
const WRITE_MAX: Duration = Duration::from_secs(5);
/// How long what is left may take at the end.
const LAST_MAX: Duration = Duration::from_secs(5);

impl Record {
    /// Writes what waits, until told to stop, and then what is left.
    pub(crate) async fn run(self, catalog: Catalog, recorder: Arc<Recorder>, mut stop: Stop) {
        let mut turn = interval(EVERY);
        turn.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let is_over = tokio::select! {
                _ = turn.tick() => false,
                () = stop.heard() => true,
            };
            if is_over {
                self.write_all(&catalog).await;
                recorder.audit_dropped(self.dropped());
                return;
            }
            self.write(&catalog).await;
            recorder.audit_dropped(self.dropped());
        }
    }

    /// Writes all that waits, as far as there is time; the rest is given up.
    pub(super) async fn write_all(&self, catalog: &Catalog) {
        self.hurry();
        let all = async { while self.write(catalog).await == Wrote::Some {} };
        // What is cut off was taken, and may have been written: only what still waits is surely lost.
        drop(timeout(LAST_MAX, all).await);
        self.give_up();
    }

    /// Writes the oldest of what waits; what cannot be written waits on.
    pub(crate) async fn write(&self, catalog: &Catalog) -> Wrote {
        let rows = self.taken(EACH_TIME, SystemClock.now().steady);
        if rows.is_empty() {
            return Wrote::Nothing;
        }
        let written = timeout(WRITE_MAX, catalog.note(rows.clone())).await;
        match written {
            Ok(Ok(())) => return Wrote::Some,
            Ok(Err(error)) => {
                tracing::debug!(%error, "The audit could not be written; it is tried again.");
                self.returned(rows);
            }
            // It may have happened: better twice on record than never.
            Err(_) => self.returned(rows),
        }
        Wrote::Nothing
    }
}

/// Whether another write would bring more on record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrote {
    /// Rows were written.
    Some,
    /// None was: none waits, or none can be written.
    Nothing,
}

#[cfg(test)]
mod tests {
    use tollgate_catalog::Author;

    use super::{super::strangers::GROUPS_MAX, *};

    const ALL: Most = Most { done: usize::MAX, refused: usize::MAX };

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
        let one = Most { done: 0, refused: 1 };
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
        let none = Most { done: 0, refused: 0 };
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
        let most = Most { done: 50, refused: 10 };
        let taken = record.taken(most, NOW);
        assert_eq!(taken.len(), 11);
        assert_eq!((taken[0].author.name(), taken[0].ended), ("dana", Ended::Done));
    }
}
