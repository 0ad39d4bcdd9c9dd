//! The five algorithms, each a pure step from (state, now, cost) to (answer, state).
//!
//! | algorithm | its law |
//! |---|---|
//! | [`FixedWindow`] | at most the limit in every aligned window |
//! | [`SlidingWindow`] | the weighted estimate is at most the limit at every admission |
//! | [`SlidingLog`] | at most the limit in every interval of one period |
//! | [`TokenBucket`] | at most burst + rate · t in every interval t |
//! | [`LeakyBucket`] | admitted requests leave evenly spaced, at most burst of them wait |

mod bucket;
mod contract;
mod fixed_window;
mod law;
mod leaky_bucket;
mod name;
mod sliding_log;
mod sliding_window;
mod token_bucket;

pub use bucket::{Bucket, BucketState};
pub use contract::{Algorithm, Answer, CustomState, Outcome};
pub use fixed_window::{FixedState, FixedWindow};
pub use law::Law;
pub use leaky_bucket::LeakyBucket;
pub use name::AlgorithmName;
pub use sliding_log::{Log, LogEntry, SlidingLog};
pub use sliding_window::{SlidingState, SlidingWindow};
pub use token_bucket::TokenBucket;
