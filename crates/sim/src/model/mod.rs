//! The oracles: one slow, obviously right model per algorithm.
//!
//! A model keeps every event that can still matter and recounts on every question, in whole numbers
//! wide enough for any limit. It shares no arithmetic with the decision core: buckets replay their
//! level instead of a theoretical arrival time, windows count events instead of keeping totals, the
//! calendar is walked year by year, and the time to wait is found by trying moments, not by a formula.

mod answer;
pub(crate) mod calendar;
mod cell;
mod fixed_window;
mod leaky_bucket;
mod moment;
mod oracle;
pub(crate) mod rate;
mod recount;
mod search;
mod sliding_log;
mod sliding_window;
mod token_bucket;
mod window_events;

pub use answer::ModelAnswer;
pub use cell::{CellAsk, CellModel};
pub use oracle::Model;
