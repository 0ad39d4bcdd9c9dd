//! Waits that grow for whoever keeps asking after a denial (U3).

use std::{
    hash::{BuildHasher as _, RandomState},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use tollgate::Ruling;
use tollgate_core::{CounterKey, Timestamp};
use tollgate_rules::Plan;

/// What a denied client is told beside the exact wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Penalty {
    /// How often it was denied of late, this time included.
    pub(crate) rejections: u64,
    /// The least wait to show.
    pub(crate) least_s: u64,
    /// What is added, so that not all come back at once.
    pub(crate) jitter_s: u64,
}

/// Denials of late, by counter: a fixed table, so that nobody can fill it. A place that is needed is taken from whoever
/// has the least to be forgiven.
#[derive(Debug)]
pub(crate) struct Penalties {
    hash: RandomState,
    slots: Box<[AtomicU64]>,
}

/// Denials that are forgiven within a minute.
const FREE: u64 = 10;
/// How long it takes to forgive one.
const FORGIVEN_AFTER_MS: u64 = 60_000 / FREE;
/// What counts at most: beyond it nothing grows, and it is forgiven in under three minutes.
const REJECTIONS_MAX: u64 = 26;
/// The longest wait of a penalty.
const WAIT_MAX_S: u64 = 60;
/// The jitter below the penalty, and with it.
const JITTER_S: [u64; 2] = [2, 5];
/// 65,536 counters, in rows of four.
const ROWS: usize = 1 << 14;
const ROW: usize = 4;
/// The moment in a slot, in milliseconds; the rest says whose it is.
const MOMENT_BITS: u32 = 40;
const MOMENT_MASK: u64 = (1 << MOMENT_BITS) - 1;

impl Penalties {
    pub(crate) fn new() -> Self {
        Self {
            hash: RandomState::new(),
            slots: (0..ROWS * ROW).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Counts a denial, and says what it costs. `now` is of a clock that does not step.
    pub(super) fn denied(
        &self,
        plan: &Plan<'_>,
        ruling: &Ruling,
        now: Timestamp,
    ) -> Option<Penalty> {
        let line = plan.lines().get(ruling.shown_place()?)?;
        let key = plan.counter_key(line);
        Some(self.count(key, now))
    }

    fn count(&self, key: CounterKey<'_>, now: Timestamp) -> Penalty {
        let print = self.hash.hash_one((key.rule(), key.values()));
        let now_ms = (now.as_micros() / 1_000) & MOMENT_MASK;
        let rejections = self.add(print, now_ms);
        // As good as chance: nobody knows the secret of the hash.
        let chance = self.hash.hash_one((print, now.as_micros(), rejections));
        let over = rejections.saturating_sub(FREE);
        let (least_s, jitter_max) = match over {
            0 => (0, JITTER_S[0]),
            over => (
                1_u64
                    .checked_shl(u32::try_from(over).unwrap_or(u32::MAX))
                    .unwrap_or(WAIT_MAX_S)
                    .min(WAIT_MAX_S),
                JITTER_S[1],
            ),
        };
        Penalty { rejections, least_s, jitter_s: chance % (jitter_max + 1) }
    }

    /// One more; answers how many there are now.
    fn add(&self, print: u64, now_ms: u64) -> u64 {
        let owner = print & !MOMENT_MASK;
        let row = usize::try_from(print & MOMENT_MASK).unwrap_or(0) % ROWS * ROW;
        let row = self.slots.get(row..row + ROW).unwrap_or_default();
        let moment = |word: u64| word & MOMENT_MASK;
        let own = row.iter().find(|slot| slot.load(Relaxed) & !MOMENT_MASK == owner);
        let least = || row.iter().min_by_key(|slot| moment(slot.load(Relaxed)));
        let Some(slot) = own.or_else(least) else {
            return 1;
        };
        let mut forgiven_at = now_ms;
        let update = |word: u64| {
            let was = if word & !MOMENT_MASK == owner { moment(word) } else { 0 };
            let most = now_ms + REJECTIONS_MAX * FORGIVEN_AFTER_MS;
            forgiven_at = (was.max(now_ms) + FORGIVEN_AFTER_MS).min(most);
            Some(owner | (forgiven_at & MOMENT_MASK))
        };
        // It never gives up, since `update` always has an answer.
        let _before: Result<u64, u64> = slot.fetch_update(Relaxed, Relaxed, update);
        (forgiven_at - now_ms).div_ceil(FORGIVEN_AFTER_MS)
    }
}

#[cfg(test)]
mod tests {
    use tollgate_core::RuleId;

    use super::*;

    fn at(ms: u64) -> Timestamp {
        Timestamp::from_micros(1_000_000_000 + ms * 1_000)
    }

    fn key(values: &[u8]) -> CounterKey<'_> {
        CounterKey::new(RuleId::default(), values)
    }

    // Proves: U3
    #[test]
    fn over_ten_denials_a_minute_the_wait_doubles_up_to_a_minute() {
        let penalties = Penalties::new();
        let told: Vec<Penalty> = (0..20).map(|_| penalties.count(key(b"a"), at(0))).collect();
        let waits: Vec<u64> = told.iter().map(|penalty| penalty.least_s).collect();
        assert_eq!(waits[..10], [0; 10]);
        assert_eq!(waits[10..], [2, 4, 8, 16, 32, 60, 60, 60, 60, 60]);
        let counts: Vec<u64> = told.iter().map(|penalty| penalty.rejections).collect();
        assert_eq!(counts, (1..=20).collect::<Vec<u64>>());
        assert!(
            told.iter().all(|penalty| penalty.jitter_s <= if penalty.least_s > 0 { 5 } else { 2 })
        );
        assert_eq!(penalties.count(key(b"b"), at(0)).rejections, 1, "others are not to blame");
    }

    // Proves: U3
    #[test]
    fn it_forgives_with_time_and_as_the_model_does() {
        let penalties = Penalties::new();
        let mut rng = tollgate_testkit::Rng::new(7);
        let (mut now, mut owed_ms) = (0, 0_u64);
        for _ in 0..10_000 {
            let pause = rng.below(20_000);
            now += pause;
            // The model: ten a minute are forgiven, whatever happens; no more than the bound is remembered.
            owed_ms = owed_ms.saturating_sub(pause).saturating_add(6_000).min(26 * 6_000);
            let told = penalties.count(key(b"a"), at(now));
            assert_eq!(told.rejections, owed_ms.div_ceil(6_000));
        }
        assert_eq!(penalties.count(key(b"a"), at(now + 200_000)).rejections, 1);
    }

    #[test]
    fn jitter_is_spread_over_all_it_may_be() {
        let penalties = Penalties::new();
        let mut seen = [0; 6];
        for number in 0..2_000_u64 {
            let told = penalties.count(key(&number.to_le_bytes()), at(0));
            seen[usize::try_from(told.jitter_s).unwrap()] += 1;
        }
        assert!(seen[..3].iter().all(|count| *count > 300), "{seen:?}");
        assert_eq!(seen[3..], [0; 3]);
    }

    #[test]
    fn a_flood_of_others_never_costs_the_worst_its_place() {
        let penalties = Penalties::new();
        for _ in 0..20 {
            penalties.count(key(b"worst"), at(0));
        }
        for number in 0..500_000_u64 {
            penalties.count(key(&number.to_le_bytes()), at(1));
        }
        assert!(penalties.count(key(b"worst"), at(2)).rejections > 20);
    }
}
