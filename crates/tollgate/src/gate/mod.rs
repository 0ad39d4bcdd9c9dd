//! Requests held against rules: match, decide, answer.

mod check;
mod join;
mod met;
mod no_snapshot;
mod ruling;
mod together;
mod wait;
mod wait_together;

pub use check::Gate;
#[doc(hidden)]
pub use join::{JoinAll, join_all};
pub use met::{Met, Told};
pub use no_snapshot::NoSnapshot;
pub use ruling::Ruling;
pub use together::{Part, Spend};
pub use wait::Unanswered;
