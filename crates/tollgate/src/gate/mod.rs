//! Requests held against rules: match, decide, answer.

mod check;
mod ruling;

pub use check::{Gate, NoSnapshot};
pub use ruling::{Met, Ruling};
