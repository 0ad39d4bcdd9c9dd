//! How much is measured.

use std::time::Duration;

use crate::depth::Depth;

#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) sizes: &'static [usize],
    /// Times that everybody has a turn.
    pub(super) rounds: u64,
    /// One turn.
    pub(super) turn: Duration,
}

impl Plan {
    pub(super) const fn of(depth: Depth) -> Self {
        match depth {
            Depth::Full => FULL,
            Depth::Quick => QUICK,
        }
    }
}

const FULL: Plan = Plan {
    sizes: &[1, 1_000, 100_000, 1_000_000, 10_000_000],
    rounds: 5,
    turn: Duration::from_millis(80),
};

const QUICK: Plan = Plan {
    sizes: &[1, 1_000, 100_000],
    rounds: 3,
    turn: Duration::from_millis(8),
};
