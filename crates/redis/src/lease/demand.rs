//! How much of a key is asked for, and how much to lease for that.

use tollgate_core::{Micros, Timestamp};

/// So many deviations of a random demand are leased beyond its mean.
const DEVIATIONS: u64 = 3;
/// A millionth of a unit: what a demand is counted in, each second.
const PARTS: u128 = 1_000_000;
/// A pool that lasts this many refreshes needs no other for now.
const REFRESHES_AHEAD: u64 = 20;
/// A refresh is put off to so many times its length at most.
const STRETCH_MAX: u64 = 10;
/// No demand is measured over less: a burst is no trend.
const SPAN_MIN: Micros = Micros::from_millis(50);

/// Units a second, quick to rise and slow to fall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Demand {
    parts_per_sec: u128,
}

impl Demand {
    /// So much was asked for in this span.
    pub(crate) fn note(&mut self, units: u64, span: Micros) {
        let micros = u128::from(span.max(SPAN_MIN).get());
        let seen = u128::from(units) * PARTS * 1_000_000 / micros;
        self.parts_per_sec = seen.max((self.parts_per_sec * 3 + seen) / 4);
    }

    /// Units in a span, on average.
    pub(crate) fn mean(&self, span: Micros) -> u64 {
        let parts = self.parts_per_sec.saturating_mul(span.get().into());
        u64::try_from(parts / PARTS / 1_000_000).unwrap_or(u64::MAX)
    }

    /// Units to have for a span.
    pub(crate) fn want(&self, span: Micros) -> u64 {
        let mean = self.mean(span);
        let spread = mean.isqrt().saturating_mul(DEVIATIONS);
        mean.saturating_add(spread).saturating_add(1)
    }

    /// How long to wait for the next refresh, when so much is left for so many with the same demand.
    pub(crate) fn interval(&self, refresh: Micros, left: u64, holders: u64) -> Micros {
        let longest = refresh.get().saturating_mul(STRETCH_MAX);
        let all = self.parts_per_sec.saturating_mul(holders.max(1).into());
        let lasts = u128::from(left).saturating_mul(PARTS * 1_000_000);
        let lasts = lasts.checked_div(all).unwrap_or(u128::MAX);
        let lasts = u64::try_from(lasts).unwrap_or(u64::MAX);
        let part = lasts / REFRESHES_AHEAD;
        Micros::new(part.clamp(refresh.get(), longest))
    }
}

/// A moment so much later, or up to a tenth of that earlier: a fleet shall not step in time.
pub(crate) fn jittered(from: Timestamp, span: Micros, random: u64) -> Timestamp {
    let tenth = (span.get() / 10).max(1);
    from.saturating_add(Micros::new(span.get() - random % tenth))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demand_rises_at_once_and_falls_slowly() {
        let second = Micros::from_secs(1);
        let mut demand = Demand::default();
        demand.note(1_000, second);
        assert_eq!(demand.mean(second), 1_000);
        demand.note(0, second);
        assert_eq!(demand.mean(second), 750);
        demand.note(4_000, second);
        assert_eq!(demand.mean(Micros::from_millis(50)), 200);
        assert_eq!(demand.want(Micros::from_millis(50)), 200 + 3 * 14 + 1);
        assert_eq!(Demand::default().want(second), 1);
    }

    #[test]
    fn a_pool_that_lasts_is_asked_less_often() {
        let refresh = Micros::from_millis(500);
        let mut demand = Demand::default();
        assert_eq!(demand.interval(refresh, 5, 1), Micros::from_secs(5));
        demand.note(100, Micros::from_secs(1));
        assert_eq!(demand.interval(refresh, 100, 1), refresh);
        assert_eq!(demand.interval(refresh, 4_000, 1), Micros::from_secs(2));
        assert_eq!(demand.interval(refresh, 4_000, 4), refresh);
        assert_eq!(demand.interval(refresh, u64::MAX, 1), Micros::from_secs(5));
    }
}
