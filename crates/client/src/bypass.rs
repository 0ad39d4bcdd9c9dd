//! The switch by which limits are bypassed by hand, and their gradual return.

use std::sync::atomic::{AtomicU64, Ordering};

use tollgate_core::{Micros, Timestamp};

use crate::ramp::Share;

/// How long each share lasts on the way back.
const STEP_TIME: Micros = Micros::from_secs(10);
/// Nothing is bypassed.
const OFF: u64 = 0;
/// Everything is. No moment is that late.
const ENGAGED: u64 = u64::MAX;

/// The switch. Off, it costs one atomic load.
#[derive(Debug, Default)]
pub(crate) struct Bypass {
    /// [`OFF`], [`ENGAGED`], or one more than the moment at which the return began, in microseconds.
    word: AtomicU64,
    calls: AtomicU64,
}

impl Bypass {
    /// From now on nothing is checked.
    pub(crate) fn engage(&self) {
        self.word.store(ENGAGED, Ordering::Relaxed);
    }

    /// From `now` on a tenth of the calls is checked again, later half, then all. If nothing is bypassed, or the
    /// return is under way, nothing changes.
    pub(crate) fn resume(&self, now: Timestamp) {
        let began = now.as_micros().saturating_add(1);
        let swapped =
            self.word.compare_exchange(ENGAGED, began, Ordering::Relaxed, Ordering::Relaxed);
        if swapped.is_ok() {
            self.calls.store(0, Ordering::Relaxed);
        }
    }

    /// Whether this call is checked; if not, it is bypassed.
    pub(crate) fn admits(&self, now: Timestamp) -> bool {
        let word = self.word.load(Ordering::Relaxed);
        match share(word, now) {
            None => false,
            Some(Share::All) => {
                if word != OFF {
                    // Whoever engaged it meanwhile is right, so a lost race is none.
                    let _lost =
                        self.word.compare_exchange(word, OFF, Ordering::Relaxed, Ordering::Relaxed);
                }
                true
            }
            Some(share) => share.takes(self.calls.fetch_add(1, Ordering::Relaxed)),
        }
    }

    /// How many of a hundred calls are checked at `now`.
    pub(crate) fn share(&self, now: Timestamp) -> u8 {
        share(self.word.load(Ordering::Relaxed), now).map_or(0, Share::percent)
    }
}

fn share(word: u64, now: Timestamp) -> Option<Share> {
    if word == OFF {
        return Some(Share::All);
    }
    if word == ENGAGED {
        return None;
    }
    let began = Timestamp::from_micros(word.saturating_sub(1));
    let passed = now.since(began);
    Some(if passed < STEP_TIME {
        Share::Tenth
    } else if passed < STEP_TIME.saturating_add(STEP_TIME) {
        Share::Half
    } else {
        Share::All
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Timestamp {
        Timestamp::from_secs(1_000).saturating_add(Micros::from_millis(millis))
    }

    fn checked(bypass: &Bypass, now: Timestamp) -> usize {
        (0..100).filter(|_| bypass.admits(now)).count()
    }

    // Proves: U4
    #[test]
    fn limits_return_by_and_by() {
        let bypass = Bypass::default();
        assert_eq!((checked(&bypass, at(0)), bypass.share(at(0))), (100, 100));
        bypass.resume(at(0));
        assert_eq!(bypass.share(at(0)), 100, "nothing was bypassed");
        bypass.engage();
        assert_eq!((checked(&bypass, at(0)), bypass.share(at(0))), (0, 0));
        bypass.resume(at(0));
        bypass.resume(at(5_000));
        for (millis, share) in [(0, 10), (9_999, 10), (10_000, 50), (19_999, 50), (20_000, 100)] {
            assert_eq!(bypass.share(at(millis)), share, "at {millis} ms");
            assert_eq!(checked(&bypass, at(millis)), usize::from(share));
        }
        // It is over: a clock that a thread reads late does not bring it back.
        assert_eq!(checked(&bypass, at(0)), 100);
    }

    #[test]
    fn engaged_on_the_way_back_everything_is_bypassed_again() {
        let bypass = Bypass::default();
        bypass.engage();
        bypass.resume(at(0));
        assert_eq!(checked(&bypass, at(15_000)), 50);
        bypass.engage();
        assert_eq!(checked(&bypass, at(60_000)), 0);
    }

    #[test]
    fn the_first_moment_there_is_counts_too() {
        let bypass = Bypass::default();
        bypass.engage();
        bypass.resume(Timestamp::EPOCH);
        assert_eq!(bypass.share(Timestamp::EPOCH), 10);
    }
}
