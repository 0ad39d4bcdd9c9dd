//! Requests held against rules: match, decide, answer.

mod check;
mod ruling;
mod together;

pub use check::{Gate, NoSnapshot};
pub use ruling::{Met, Ruling};
pub use together::{Part, Spend};
