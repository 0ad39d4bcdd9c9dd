//! Log lines that others could cause without end: one a second, or one a minute.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tollgate_core::{Clock as _, Micros, SystemClock, Timestamp};

/// Says when a line may be written.
#[derive(Debug)]
pub(crate) struct Complaints {
    /// No two lines are nearer than this.
    apart: Micros,
    /// In µs; 0 is never.
    told_us: AtomicU64,
    left_out: AtomicU64,
}

/// One a second.
impl Default for Complaints {
    fn default() -> Self {
        Self::apart(Micros::from_secs(1))
    }
}

impl Complaints {
    /// For lines that stand for something which goes on until an operator mends it.
    pub(crate) const fn once_a_minute() -> Self {
        Self::apart(Micros::from_secs(60))
    }

    const fn apart(apart: Micros) -> Self {
        Self { apart, told_us: AtomicU64::new(0), left_out: AtomicU64::new(0) }
    }

    /// How many lines were left out before this one, if it may be written.
    pub(crate) fn may_tell(&self) -> Option<u64> {
        self.may_tell_at(SystemClock.now().steady)
    }

    pub(crate) fn may_tell_at(&self, now: Timestamp) -> Option<u64> {
        let told_us = self.told_us.load(Relaxed);
        let is_soon = told_us > 0 && now.since(Timestamp::from_micros(told_us)) < self.apart;
        let now_us = now.as_micros().max(1);
        let is_ours = || {
            let swapped = self.told_us.compare_exchange(told_us, now_us, Relaxed, Relaxed);
            swapped.is_ok()
        };
        if is_soon || !is_ours() {
            self.left_out.fetch_add(1, Relaxed);
            return None;
        }
        Some(self.left_out.swap(0, Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_a_second_says_how_many_were_left_out() {
        let complaints = Complaints::default();
        let at = |ms: u64| Timestamp::from_micros(ms * 1_000);
        assert_eq!(complaints.may_tell_at(at(5_000)), Some(0));
        assert_eq!(complaints.may_tell_at(at(5_001)), None);
        assert_eq!(complaints.may_tell_at(at(5_999)), None);
        assert_eq!(complaints.may_tell_at(at(6_000)), Some(2));
        assert_eq!(complaints.may_tell_at(at(7_500)), Some(0));
        let slow = Complaints::once_a_minute();
        assert_eq!(slow.may_tell_at(at(5_000)), Some(0));
        assert_eq!(slow.may_tell_at(at(64_999)), None);
        assert_eq!(slow.may_tell_at(at(65_000)), Some(1));
    }
}
