//! Whether a client takes its answers.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::time::{MissedTickBehavior, interval};

/// The answers of one connection.
#[derive(Debug, Default)]
pub(super) struct Taking {
    waiting: AtomicUsize,
    taken: AtomicUsize,
}

/// An answer until it is taken, or given up.
#[derive(Debug)]
pub(super) struct Untaken(Arc<Taking>);

impl Taking {
    pub(super) fn begin(self: &Arc<Self>) -> Untaken {
        self.waiting.fetch_add(1, Relaxed);
        Untaken(Arc::clone(self))
    }

    /// Returns once answers waited for so long, and none was taken.
    pub(super) async fn stuck(&self, wait: Duration) {
        let mut every = interval(wait);
        // Two ticks right after each other, after a stall, would leave a client no time between them.
        every.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut before = None;
        loop {
            every.tick().await;
            let (waiting, taken) = (self.waiting.load(Relaxed), self.taken.load(Relaxed));
            if waiting > 0 && before == Some(taken) {
                return;
            }
            before = (waiting > 0).then_some(taken);
        }
    }
}

impl Drop for Untaken {
    fn drop(&mut self) {
        self.0.taken.fetch_add(1, Relaxed);
        self.0.waiting.fetch_sub(1, Relaxed);
    }
}
