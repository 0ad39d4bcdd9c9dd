//! Streams of requests, each known by its seed.
//!
//! | stream | what it tries |
//! |---|---|
//! | [`Uniform`] | gaps of any length up to twice the mean |
//! | [`Poisson`] | independent clients: exponential gaps |
//! | [`EdgeBursts`] | everything around the edges of the windows |
//! | [`Adversarial`] | one client who knows the law: same tick, one tick early, on the tick, idle for a window |
//! | [`Shuffled`] | another stream, out of order and with repeated timestamps |
//! | [`WallSteps`] | another stream, under a wall clock that is set back and forth |
//!
//! All of them are endless iterators of [`Arrival`]s; take as many as you like.
//!
//! ```
//! use tollgate_sim::arrivals::{Poisson, Shuffled, Traffic, WallSteps};
//!
//! let calm = Poisson::new(1, Traffic::default());
//! let storm = WallSteps::new(2, Shuffled::new(3, calm));
//! assert_eq!(storm.take(500).count(), 500);
//! ```

mod adversarial;
mod arrival;
mod edge_bursts;
mod poisson;
mod shuffled;
mod uniform;
mod wall_steps;

pub use adversarial::Adversarial;
pub use arrival::{Arrival, Traffic};
pub use edge_bursts::EdgeBursts;
pub use poisson::Poisson;
pub use shuffled::Shuffled;
pub use uniform::Uniform;
pub use wall_steps::WallSteps;
