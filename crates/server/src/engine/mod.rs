//! The middle of every protocol: a question in, an answer out. Nothing here waits.

mod answer;
mod ask;
mod decide;
mod repeat;
#[cfg(test)]
mod rig;
#[cfg(test)]
mod tests;
mod time;
mod together;

pub(crate) use answer::{Answer, Refusal};
pub(crate) use ask::{Ask, Deed};
pub(crate) use decide::Engine;
pub(crate) use time::Time;
pub(crate) use together::Together;
