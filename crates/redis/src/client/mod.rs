//! The way to Redis: connections, the map of a Cluster, breakers, and who else is alive.

mod access;
mod address;
mod breaker;
mod call;
#[expect(clippy::module_inception, reason = "the client is what this room is for")]
mod client;
mod enrolment;
mod examine;
mod keeper;
mod lineage;
mod link;
mod map;
mod presence;
mod push;
mod register;
mod reply;
mod roll;
mod route;
mod run;
mod shard;
mod slots;
mod survey;
mod tasks;
mod term;
#[cfg(test)]
mod tests;
mod topology;

pub(crate) use call::{Call, Cause, Failure};
pub(crate) use client::Client;
pub use examine::examine;
pub(crate) use link::PATIENCE;
pub(crate) use shard::Shard;
pub(crate) use slots::Loss;
