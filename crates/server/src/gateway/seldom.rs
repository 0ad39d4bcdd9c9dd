//! Complaints that come with every request, and are told once a second.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tollgate_core::Timestamp;

/// Lets one through in every second.
#[derive(Debug, Default)]
pub(crate) struct Seldom {
    /// The second after the last one that was used, so that 0 is never.
    next_s: AtomicU64,
}

impl Seldom {
    /// Whether it is time again. Of several who ask in one second, one hears yes.
    pub(crate) fn is_due(&self, now: Timestamp) -> bool {
        let second = now.as_micros() / 1_000_000;
        let next = self.next_s.load(Relaxed);
        // A clock that was set back does not silence it.
        let is_due = second.saturating_add(1) != next;
        is_due
            && self
                .next_s
                .compare_exchange(next, second.saturating_add(1), Relaxed, Relaxed)
                .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn once_in_a_second() {
        let seldom = Seldom::default();
        let at = |millis: u64| Timestamp::from_micros(millis * 1_000);
        let heard = [0, 999, 1_000, 1_001, 2_500, 500].map(|millis| seldom.is_due(at(millis)));
        assert_eq!(heard, [true, false, true, false, true, true]);
    }
}
