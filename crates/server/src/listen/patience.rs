//! How long a connection is waited for.

use std::{
    future::Future as _,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::{Instant, Sleep, sleep_until};
use tollgate_core::{Clock as _, Micros, Timestamp};

use crate::engine::Time;

/// One timer a connection. Putting the deadline off costs a store: the timer is left to ring early and is
/// then wound up again.
#[derive(Debug)]
pub(super) struct Patience {
    time: Time,
    deadline: Timestamp,
    has_begun: bool,
    timer: Pin<Box<Sleep>>,
}

impl Patience {
    pub(super) fn new(time: Time, wait: Duration) -> Self {
        let deadline = after(&time, wait);
        let timer = Box::pin(sleep_until(ring_in(&time, deadline)));
        Self {
            time,
            deadline,
            has_begun: true,
            timer,
        }
    }

    /// A request has begun; unless it had before, it has so long from now.
    pub(super) fn begin(&mut self, wait: Duration) {
        if !self.has_begun {
            self.restart(wait);
        }
    }

    /// Another request has begun, which has so long from now.
    pub(super) fn restart(&mut self, wait: Duration) {
        self.renew(wait);
        self.has_begun = true;
    }

    /// Nothing has begun, and there is so long for something to.
    pub(super) fn renew(&mut self, wait: Duration) {
        self.has_begun = false;
        let deadline = after(&self.time, wait);
        let is_sooner = deadline < self.deadline;
        self.deadline = deadline;
        if is_sooner {
            let ring = ring_in(&self.time, deadline);
            self.timer.as_mut().reset(ring);
        }
    }

    /// Ready once it has ended.
    pub(super) fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while self.timer.as_mut().poll(context).is_ready() {
            if self.time.now().steady >= self.deadline {
                return Poll::Ready(());
            }
            let ring = ring_in(&self.time, self.deadline);
            self.timer.as_mut().reset(ring);
        }
        Poll::Pending
    }
}

fn after(time: &Time, wait: Duration) -> Timestamp {
    time.now().steady.saturating_add(Micros::from(wait))
}

/// When the runtime's timer is to ring. It has a clock of its own, so ours is only asked for the
/// distance.
fn ring_in(time: &Time, deadline: Timestamp) -> Instant {
    let left = Duration::from(deadline.since(time.now().steady));
    Instant::now() + left.max(Duration::from_millis(1))
}
