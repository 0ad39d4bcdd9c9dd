//! Denials that are remembered for a moment, so that whoever hammers costs nothing.
//!
//! A denial stands for the same facts at the same cost or a higher one, as long as the server said that waiting
//! takes, and never longer than [`KEPT_MAX`]: whoever raises a limit is not kept waiting. Blocks are kept longer,
//! for the time in which no server can be asked.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tollgate_core::{Micros, Timestamp};

use crate::{Answer, Source, table::Table};

/// How many are remembered.
const ENTRIES: usize = 4_096;
/// How long, at most.
const KEPT_MAX: Micros = Micros::from_secs(1);
/// How long a block is, whose end nobody told.
const BLOCK_KEPT_MAX: Micros = Micros::from_secs(24 * 60 * 60);

/// Denials that stand.
#[derive(Debug)]
pub(crate) struct Denials {
    kept_max: Micros,
    table: Table<Denial>,
    /// When the last of them is over, in microseconds: after that there is nothing to look for.
    until: AtomicU64,
}

#[derive(Debug)]
struct Denial {
    cost: u64,
    at: Timestamp,
    until: Timestamp,
    answer: Arc<Answer>,
}

impl Denials {
    /// None yet.
    pub(crate) fn new() -> Self {
        Self::kept(KEPT_MAX)
    }

    /// As above, for blocks: they stand until their end, or a day.
    pub(crate) fn of_blocks() -> Self {
        Self::kept(BLOCK_KEPT_MAX)
    }

    fn kept(kept_max: Micros) -> Self {
        Self { kept_max, table: Table::new(ENTRIES), until: AtomicU64::new(0) }
    }

    /// The denial of the same question, if it still stands at `now`. Its waits are shorter by the time that
    /// has passed.
    pub(crate) fn find(&self, facts: u128, cost: u64, now: Timestamp) -> Option<Answer> {
        if now.as_micros() >= self.until.load(Ordering::Relaxed) {
            return None;
        }
        let found = self.table.with(facts, |denial| {
            let stands = cost >= denial.cost && now < denial.until;
            stands.then(|| (Arc::clone(&denial.answer), denial.at))
        });
        let (answer, at) = found.flatten()?;
        Some(later(&answer, now.since(at).into()))
    }

    /// Remembers an answer of the server, if it is a denial.
    pub(crate) fn remember(&self, facts: u128, cost: u64, answer: &Answer, now: Timestamp) {
        if answer.is_allowed {
            return;
        }
        let wait = answer.retry_after.map_or(self.kept_max, Micros::from);
        let until = now.saturating_add(wait.min(self.kept_max));
        let covers = |known: &mut Denial| known.cost < cost && now < known.until;
        if until <= now || self.table.with(facts, covers) == Some(true) {
            return;
        }
        let denial = Denial { cost, at: now, until, answer: Arc::new(answer.clone()) };
        // Those that are over have the lowest rank.
        self.table.put(facts, denial, |denial| denial.until.as_micros());
        self.until.fetch_max(until.as_micros(), Ordering::Relaxed);
    }

    /// The server has said something else meanwhile.
    pub(crate) fn forget(&self, facts: u128, now: Timestamp) {
        if now.as_micros() < self.until.load(Ordering::Relaxed) {
            self.table.with(facts, |denial| denial.until = now);
        }
    }

    /// How many are kept, those that are over included.
    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }
}

/// The same denial when `passed` has passed.
fn later(answer: &Answer, passed: Duration) -> Answer {
    let mut answer = answer.clone();
    answer.source = Source::CachedDenial;
    answer.retry_after = answer.retry_after.map(|wait| wait.saturating_sub(passed));
    answer.reset_after = answer.reset_after.map(|reset| reset.saturating_sub(passed));
    answer.retry_after_s =
        answer.retry_after_s.map(|wait| wait.saturating_sub(passed.as_secs()).max(1));
    answer
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, proptest};

    use super::*;

    fn at(millis: u64) -> Timestamp {
        Timestamp::from_secs(1_000).saturating_add(Micros::from_millis(millis))
    }

    fn denied(retry_ms: Option<u64>) -> Answer {
        Answer {
            is_allowed: false,
            status: 429,
            retry_after: retry_ms.map(Duration::from_millis),
            retry_after_s: retry_ms.map(|millis| millis.div_ceil(1_000)),
            reset_after: Some(Duration::from_secs(60)),
            ..Answer::allowed(Source::Server)
        }
    }

    // Proves: U4
    #[test]
    fn a_block_stands_for_a_day_or_until_the_server_lifts_it() {
        let hours = |hours: u64| at(hours * 3_600_000);
        let blocks = Denials::of_blocks();
        blocks.remember(7, 1, &denied(None), at(0));
        blocks.remember(8, 1, &denied(Some(3_600_000)), at(0));
        assert!(blocks.find(7, 1, hours(23)).is_some() && blocks.find(7, 1, hours(24)).is_none());
        assert!(
            blocks.find(8, 1, at(3_599_999)).is_some() && blocks.find(8, 1, hours(1)).is_none()
        );
        blocks.forget(7, hours(2));
        blocks.forget(9, hours(2));
        assert!(blocks.find(7, 1, hours(2)).is_none());
    }

    // Proves: U4
    #[test]
    fn a_denial_stands_until_waiting_helps_and_never_longer_than_a_second() {
        let cases = [(Some(400), 400), (Some(1_000), 1_000), (Some(60_000), 1_000), (None, 1_000)];
        for (retry, kept) in cases {
            let denials = Denials::new();
            denials.remember(7, 1, &denied(retry), at(0));
            assert!(denials.find(7, 1, at(kept - 1)).is_some(), "{retry:?}");
            assert!(denials.find(7, 1, at(kept)).is_none(), "{retry:?}");
            assert!(denials.find(8, 1, at(0)).is_none());
        }
        let denials = Denials::new();
        denials.remember(7, 1, &denied(Some(0)), at(0));
        denials.remember(8, 1, &Answer::allowed(Source::Server), at(0));
        assert_eq!(denials.len(), 0);
    }

    #[test]
    fn its_waits_are_shorter_by_what_has_passed() {
        let denials = Denials::new();
        let answer = denied(Some(1_500));
        denials.remember(7, 1, &answer, at(0));
        let found = denials.find(7, 1, at(999)).unwrap();
        assert_eq!(found.retry_after, Some(Duration::from_millis(501)));
        assert_eq!(found.reset_after, Some(Duration::from_millis(59_001)));
        assert_eq!(found.retry_after_s, Some(2), "never too short a wait");
        assert_eq!((found.source, found.status), (Source::CachedDenial, 429));
        let later = later(&answer, Duration::from_secs(9));
        assert_eq!(later.retry_after, Some(Duration::ZERO));
        assert_eq!(later.retry_after_s, Some(1));
    }

    #[test]
    fn what_costs_less_is_asked_again() {
        let denials = Denials::new();
        denials.remember(7, 5, &denied(None), at(0));
        assert!(denials.find(7, 4, at(0)).is_none());
        assert!(denials.find(7, 5, at(0)).is_some() && denials.find(7, 6, at(0)).is_some());
        denials.remember(7, 3, &denied(None), at(0));
        assert!(denials.find(7, 3, at(0)).is_some());
        // Who asked dearly before is not believed about what is cheap; what was known stays known.
        denials.remember(7, 9, &denied(None), at(0));
        assert!(denials.find(7, 3, at(0)).is_some());
        denials.remember(7, 9, &denied(None), at(1_000));
        assert!(denials.find(7, 3, at(1_000)).is_none() && denials.find(7, 9, at(1_000)).is_some());
    }

    #[test]
    fn a_flood_takes_no_more_room() {
        let denials = Denials::new();
        for facts in 0..50_000 {
            denials.remember(facts, 1, &denied(None), at(0));
        }
        assert_eq!(denials.len(), ENTRIES);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// Whatever is found was denied less than a second ago, for as much or less, and waiting would not
        /// have helped yet.
        #[test]
        fn only_what_was_denied_is_found(
            steps in proptest::collection::vec((0..4_u128, 0..4_u64, 0..400_u64, 0..1_500_u64), 1..100),
        ) {
            let denials = Denials::new();
            let mut told: Vec<(u128, u64, u64, u64)> = Vec::new();
            let mut now = 0;
            for (facts, cost, passed, retry) in steps {
                now += passed;
                let found = denials.find(facts, cost, at(now));
                let because = told.iter().any(|(known, least, when, until)| {
                    *known == facts && cost >= *least && now < *until && now - when < 1_000
                });
                assert!(found.is_none() || because);
                if found.is_none() {
                    denials.remember(facts, cost, &denied(Some(retry)), at(now));
                    told.push((facts, cost, now, now + retry));
                    assert_eq!(denials.find(facts, cost, at(now)).is_some(), retry > 0);
                }
            }
        }
    }
}
