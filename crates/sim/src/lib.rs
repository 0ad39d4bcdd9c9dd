//! Slow, obviously right models of the algorithms and of the rules, and the traffic to try them with.
//!
//! | room | what is in it |
//! |---|---|
//! | [`model`] | one oracle per algorithm: keeps every event, recounts on every question |
//! | [`arrivals`] | streams of requests: uniform, Poisson, bursts at edges, adversarial, bad clocks |
//! | [`golden`] | worked examples on disk that every store replays |
//! | [`Duel`] | the decision core and its model side by side, every answer compared |
//! | [`Walk`] | random schedules for a duel, known by their seed |
//! | [`pool`] | the pool of leases by recounting, simple holders, and the law over every interval |
//! | [`limits`] | random limits, small ones and ones of any size |
//! | [`matching`] | the rules walked one by one, and random rule sets and requests to try it with |
//!
//! ```
//! use tollgate_core::{Clock, Cost, Limit, ManualClock};
//! use tollgate_sim::model::Model;
//!
//! let now = ManualClock::start().now();
//! let mut model = Model::new(&"2/min".parse::<Limit>()?, now);
//! assert!(model.step(now, Cost::new(2)).allowed);
//! assert!(!model.step(now, Cost::ONE).allowed);
//! # Ok::<(), tollgate_core::LimitError>(())
//! ```

pub mod arrivals;
pub mod golden;
pub mod limits;
pub mod matching;
pub mod model;
pub mod pool;

mod duel;
mod rng;
mod walk;

pub use duel::{Difference, Duel};
pub use rng::Rng;
pub use walk::{Clocks, Tally, Walk};
