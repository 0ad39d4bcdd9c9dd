//! When a shard is not asked any more, and how it comes back: a state machine without a clock of its own.

use std::time::Duration;

use tollgate_core::Timestamp;

use crate::Standing;

/// So many failures in a row open it.
pub(super) const FAILURES_MAX: u8 = 5;
/// How long each step of the return lasts.
pub(super) const STEP: Duration = Duration::from_millis(500);
/// The shares of the return, in percent.
const SHARES: [u8; 2] = [10, 50];

/// Whether a shard is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Breaker {
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It was never there, so nobody is kept waiting who could all come back at once.
    Fresh,
    Up {
        failures: u8,
    },
    Down,
    Returning {
        share: u8,
        since: Timestamp,
    },
}

impl Breaker {
    pub(super) const fn new() -> Self {
        Self {
            state: State::Fresh,
        }
    }

    /// A call failed, or was too late.
    pub(super) const fn failed(&mut self) {
        self.state = match self.state {
            State::Up { failures } if failures + 1 < FAILURES_MAX => State::Up {
                failures: failures + 1,
            },
            State::Fresh => State::Fresh,
            _ => State::Down,
        };
    }

    /// A call went well. While it is down only a probe can tell: this may be an answer from before.
    pub(super) const fn succeeded(&mut self) {
        if let State::Up { .. } = self.state {
            self.state = State::Up { failures: 0 };
        }
    }

    /// The connection ended, or there is none to be had.
    pub(super) const fn lost(&mut self) {
        self.state = State::Down;
    }

    /// A probe went well.
    pub(super) const fn recovered(&mut self, now: Timestamp) {
        self.state = match self.state {
            State::Fresh => State::Up { failures: 0 },
            State::Down => State::Returning {
                share: SHARES[0],
                since: now,
            },
            state => state,
        };
    }

    /// Time has passed.
    pub(super) fn tick(&mut self, now: Timestamp) {
        let State::Returning { share, since } = self.state else {
            return;
        };
        if now.since(since) < STEP.into() {
            return;
        }
        let next = SHARES.into_iter().find(|next| *next > share);
        self.state = next.map_or(State::Up { failures: 0 }, |share| State::Returning {
            share,
            since: now,
        });
    }

    /// What share of the keys is let through, in percent.
    pub(super) const fn share(&self) -> u8 {
        match self.state {
            State::Up { .. } => 100,
            State::Returning { share, .. } => share,
            State::Fresh | State::Down => 0,
        }
    }

    /// Whether there is nothing to be told by a success.
    pub(super) const fn is_calm(&self) -> bool {
        matches!(self.state, State::Up { failures: 0 })
    }

    pub(super) const fn standing(&self) -> Standing {
        match self.state {
            State::Up { .. } => Standing::Up,
            State::Returning { share, .. } => Standing::Returning(share),
            State::Fresh | State::Down => Standing::Down,
        }
    }
}
