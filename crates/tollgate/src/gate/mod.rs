//! Requests held against rules: match, decide, answer.

mod check;
mod met;
mod ruling;
mod together;

pub use check::{Gate, NoSnapshot};
pub use met::Met;
pub use ruling::Ruling;
pub use together::{Part, Spend};
