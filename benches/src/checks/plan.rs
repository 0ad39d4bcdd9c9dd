//! How much is measured.

use std::time::Duration;

use crate::{depth::Depth, subjects::Kind};

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Numbers of keys.
    pub(crate) sizes: Vec<usize>,
    pub(crate) kinds: Vec<Kind>,
    /// Times that everybody has a turn.
    pub(super) rounds: u64,
    /// One turn.
    pub(super) turn: Duration,
}

impl Plan {
    pub(crate) fn of(depth: Depth) -> Self {
        let kinds = Kind::ALL.to_vec();
        match depth {
            Depth::Full => Self {
                sizes: vec![1, 1_000, 100_000, 1_000_000, 10_000_000],
                kinds,
                rounds: 5,
                turn: Duration::from_millis(80),
            },
            Depth::Quick => Self {
                sizes: vec![1, 1_000, 100_000],
                kinds,
                rounds: 3,
                turn: Duration::from_millis(8),
            },
        }
    }
}
