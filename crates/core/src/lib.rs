//! The values and laws of Tollgate: time, limits, algorithms, decisions, and the door to a store.
//!
//! Nothing here does I/O, waits, or serialises. An [`Algorithm`] is a pure step from a state, a
//! moment and a cost to an answer and a state; a [`Limit`] is an algorithm with its numbers, valid
//! by construction; a [`Store`] keeps the states and applies every [`Charge`] of a request or none.
//!
//! ```
//! use tollgate_core::{Clock, Cost, Limit, ManualClock};
//!
//! let limit: Limit = "2/min".parse()?;
//! let now = ManualClock::start().now();
//! let (first, state) = limit.step(limit.fresh(now), now, Cost::new(2));
//! assert!(first.is_allowed());
//! let (second, _) = limit.step(state, now, Cost::ONE);
//! assert!(!second.is_allowed());
//! # Ok::<(), tollgate_core::LimitError>(())
//! ```
#![warn(missing_docs)]
#![warn(
    clippy::arithmetic_side_effects,
    clippy::float_arithmetic,
    clippy::as_conversions,
    clippy::exhaustive_enums
)]

mod algorithm;
mod band;
mod calendar;
mod charge;
mod clock;
mod cost;
mod decision;
mod error;
mod fingerprint;
mod limit;
mod manual_clock;
mod math;
mod period;
mod policy;
mod reason;
mod state;
mod store;
mod time;
mod verdict;

pub use algorithm::{
    Algorithm, AlgorithmName, Answer, Bucket, BucketState, CustomState, FixedState, FixedWindow,
    Law, LeakyBucket, Log, LogEntry, Outcome, SlidingLog, SlidingState, SlidingWindow, TokenBucket,
};
pub use band::{Band, Bands};
pub use charge::{Charge, CounterKey, RuleId};
pub use clock::{Clock, SystemClock};
pub use cost::Cost;
pub use decision::Decision;
pub use error::LimitError;
pub use fingerprint::Fingerprinter;
pub use limit::{Limit, LimitLine, LimitSet, NoLease, Sharing};
pub use manual_clock::ManualClock;
pub use period::{Period, Unit};
pub use policy::{Consistency, OnFailure, Policy};
pub use reason::Reason;
pub use state::State;
pub use store::{Action, ImmediateStore, Store, StoreError};
pub use time::{Instants, Micros, Now, Timestamp};
pub use verdict::{FallbackCause, Verdict};
