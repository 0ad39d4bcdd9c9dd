//! Which keys were asked for lately: one that is seen for the first time is not worth a lease.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tollgate_core::{Micros, Timestamp};

/// Keys that are remembered, a few bits of each. Two that fall together make room for each other.
const KEYS: usize = 1 << 16;
/// Seen again within this, a key is worth a lease.
const LATELY: Micros = Micros::from_millis(500);
/// Moments are kept in steps of about a millisecond.
const STEP_BITS: u32 = 10;
const PRINT: u64 = 0xffff_ffff_0000_0000;

#[derive(Debug)]
pub(crate) struct Sightings(Box<[AtomicU64]>);

impl Default for Sightings {
    fn default() -> Self {
        Self((0..KEYS).map(|_| AtomicU64::new(0)).collect())
    }
}

impl Sightings {
    /// Notes that a key was asked for; says whether it was lately.
    pub(crate) fn again(&self, print: u64, boot: Timestamp) -> bool {
        let place = usize::try_from(print).unwrap_or(0) % KEYS;
        let step = (boot.as_micros() >> STEP_BITS) & !PRINT;
        let Some(seen) = self.0.get(place) else {
            return false;
        };
        let before = seen.swap((print & PRINT) | step, Relaxed);
        let steps = step.wrapping_sub(before & !PRINT);
        before & PRINT == print & PRINT && steps <= LATELY.get() >> STEP_BITS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_seen_again_only_if_it_was_seen_lately() {
        let (seen, at) = (Sightings::default(), |ms| {
            Timestamp::from_secs(7).saturating_add(Micros::from_millis(ms))
        });
        assert!(!seen.again(5 << 32, at(0)));
        assert!(seen.again(5 << 32, at(400)));
        assert!(!seen.again(5 << 32, at(1_500)));
        assert!(!seen.again(6 << 32, at(1_500)));
        assert!(!seen.again(5 << 32, at(1_501)), "they made room for each other");
    }
}
