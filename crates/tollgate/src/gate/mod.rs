//! Requests held against rules: match, decide, answer.

mod check;
mod join;
mod met;
mod ruling;
mod together;
mod wait;
mod wait_together;

pub use check::{Gate, NoSnapshot};
#[doc(hidden)]
pub use join::{JoinAll, join_all};
pub use met::Met;
pub use ruling::Ruling;
pub use together::{Part, Spend};
pub use wait::Unanswered;
