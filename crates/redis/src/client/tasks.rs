//! What runs beside the calls.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::Duration;

use tokio::task::AbortHandle;

/// Starts a task of this room. Each ends by itself once nobody holds the client any more.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place where this crate starts tasks; they end with the client"
)]
pub(super) fn spawn(task: impl Future<Output = ()> + Send + 'static) -> AbortHandle {
    tokio::spawn(task).abort_handle()
}

/// A random number, good enough to tell nodes apart and to spread attempts.
pub(super) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Longer and longer pauses between attempts, each shortened at random so that a fleet does not step in time.
#[derive(Debug)]
pub(super) struct Backoff {
    first: Duration,
    longest: Duration,
    next: Duration,
}

impl Backoff {
    pub(super) const fn new(first: Duration, longest: Duration) -> Self {
        Self { first, longest, next: first }
    }

    /// How long to pause now: at least half of what is due.
    pub(super) fn pause(&mut self) -> Duration {
        let due = self.next;
        self.next = (due * 2).min(self.longest);
        let half = due / 2;
        let micros = u64::try_from(half.as_micros()).unwrap_or(u64::MAX).max(1);
        half + Duration::from_micros(random() % micros)
    }

    /// It went well: start again.
    pub(super) const fn reset(&mut self) {
        self.next = self.first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_the_longest_and_differ() {
        let mut backoff = Backoff::new(Duration::from_millis(50), Duration::from_secs(1));
        let pauses: Vec<Duration> = (0..20).map(|_| backoff.pause()).collect();
        assert!(pauses[0] >= Duration::from_millis(25) && pauses[0] < Duration::from_millis(50));
        let late = &pauses[10..];
        assert!(late.iter().all(|pause| *pause >= Duration::from_millis(500)));
        assert!(late.iter().all(|pause| *pause <= Duration::from_secs(1)));
        assert!(late.windows(2).any(|pair| pair[0] != pair[1]));
        backoff.reset();
        assert!(backoff.pause() < Duration::from_millis(50));
    }
}
