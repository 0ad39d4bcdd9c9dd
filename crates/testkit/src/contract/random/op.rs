//! What can happen in a schedule.

use tollgate_core::{Limit, Micros};

/// One step.
#[derive(Clone, Debug)]
pub(super) enum Op {
    Charge(Vec<Ask>),
    Peek(Vec<Ask>),
    Refund(Vec<Ask>),
    Reset(Vec<Ask>),
    Change {
        meter: usize,
        limit: Limit,
    },
    Advance(Micros),
    /// Steps the time of day by so many microseconds.
    StepWall(i64),
    /// Sets both hands of the clock back.
    SetBack(Micros),
}

/// A charge by numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ask {
    pub(super) meter: usize,
    pub(super) key: usize,
    pub(super) cost: u64,
}

impl Op {
    /// What is asked of which counters, if anything.
    pub(super) fn asks(&self) -> &[Ask] {
        match self {
            Self::Charge(asks) | Self::Peek(asks) | Self::Refund(asks) | Self::Reset(asks) => asks,
            _ => &[],
        }
    }

    /// Whether this step can have to do with a failure of those asks.
    pub(super) fn concerns(&self, failed: &[Ask]) -> bool {
        let is_same =
            |ask: &Ask| failed.iter().any(|other| (other.meter, other.key) == (ask.meter, ask.key));
        match self {
            Self::Change { meter, .. } => failed.iter().any(|ask| ask.meter == *meter),
            Self::Advance(_) | Self::StepWall(_) | Self::SetBack(_) => true,
            _ => self.asks().iter().any(is_same),
        }
    }
}
