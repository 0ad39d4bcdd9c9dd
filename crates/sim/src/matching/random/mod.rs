//! Random rule sets and requests, from so few words that most requests meet several rules.
//!
//! ```
//! use tollgate_sim::{Rng, matching::random::{Request, Spelling, World}};
//!
//! let mut rng = Rng::new(1);
//! let world = World::new(&mut rng, 20)?;
//! let request = Request::new(&mut rng);
//! let query = request.query(Spelling::AsSent)?;
//! assert!(world.rules.rules.len() == 20);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod conditions;
mod exceptions;
mod request;
mod rule;
mod spelling;
mod words;
mod world;

pub use request::{Request, Spelling};
pub use world::World;
