//! The middle of every protocol: a question in, an answer out. Only counters that a fleet shares are waited
//! for.

mod answer;
mod ask;
mod decide;
mod fleet;
mod penalty;
mod repeat;
#[cfg(test)]
mod rig;
#[cfg(test)]
mod shared_tests;
mod start;
#[cfg(test)]
mod tests;
mod time;
mod together;
mod troubles;
mod wait;

pub(crate) use answer::{Answer, Refusal};
pub(crate) use ask::{Ask, Deed};
pub(crate) use decide::Engine;
pub(crate) use fleet::Fleet;
pub(crate) use penalty::{Penalties, Penalty};
pub use start::RedisError;
pub(crate) use start::redis_options;
pub(crate) use time::Time;
pub(crate) use together::Together;
pub(crate) use wait::{UNDER_WAY_MAX, at_once, polled_once};
