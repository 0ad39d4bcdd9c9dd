//! When a server is not asked any more, and how it comes back.
//!
//! Closed, every call is let through, and the last [`WINDOW`](machine::WINDOW) outcomes are known. When more
//! than a tenth of them failed the breaker opens: for [`OPEN_TIME`](machine::OPEN_TIME) nobody is let through.
//! Then a tenth of the calls is, then half, then all. A stage that goes badly opens it again.
//!
//! [`machine`] is the rule, without clock or lock; [`valve`] is what threads share.

mod machine;
#[cfg(test)]
mod machine_test;
#[cfg(test)]
mod model;
mod sync;
mod valve;

pub(crate) use machine::{Outcome, Permit};
pub(crate) use valve::Valve;

/// How a server is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BreakerState {
    /// It is asked.
    Closed,
    /// It is not.
    Open,
    /// It is asked this share of the calls, in percent.
    Returning(u8),
}
