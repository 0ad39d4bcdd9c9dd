//! Tollgate as a library: rate limits in your own process.
//!
//! ```
//! use tollgate::{Cost, RateLimiter};
//!
//! let limiter = RateLimiter::builder().limit("100/min".parse()?).build();
//! if limiter.is_allowed("user:42") {
//!     // serve the request
//! }
//! let decision = limiter.check("user:42", Cost::new(3));
//! assert_eq!((decision.limit(), decision.remaining()), (100, 96));
//! # Ok::<(), tollgate::LimitError>(())
//! ```
//!
//! - Five algorithms ([`AlgorithmName`]), several limits on one key ([`LimitSet`]), soft limits ([`Bands`]).
//! - Exact answers: a client that waits [`Decision::retry_after`] is admitted, one that comes a
//!   microsecond earlier is not.
//! - Limits can change while they are in force ([`RateLimiter::set_limits`]); what was admitted is kept.
//! - No thread to start and no runtime: [`RateLimiter::check`] answers at once.
//! - Bring your own [`Clock`], [`ImmediateStore`] or [`Store`], [`Algorithm`], [`Observer`].
#![warn(missing_docs)]

mod builder;
mod gate;
mod limiter;
mod observer;
#[cfg(doctest)]
mod pages;
mod revision;
mod trial;

pub use builder::{Builder, InMemory, LimitsMissing, OwnStore};
pub use gate::{Gate, LimitDetails, MatchedLimit, NoSnapshot, Part, Ruling, Spend, Unanswered};
pub use limiter::RateLimiter;
pub use observer::Observer;
pub use tollgate_core::{
    Action, Algorithm, AlgorithmName, Answer, Band, Bands, BucketState, Charge, Clock, Consistency,
    Cost, CounterKey, CustomState, Decision, FixedState, ImmediateStore, Law, Limit, LimitError,
    LimitSet, Log, LogEntry, ManualClock, Micros, Now, OnFailure, Outcome, Period, Policy, Reason,
    RuleId, SlidingState, State, Store, StoreError, SystemClock, Timestamp, Unit, Verdict,
};
pub use tollgate_memory::{LoadError, MemoryStore, SAVED_PERIOD_MIN, Stats};
/// Rules: documents, matching, and the snapshot a [`Gate`] decides from.
pub use tollgate_rules as rules;
pub use trial::{TrialFailure, run_trial};
