//! The way to Redis: connections, the map of a Cluster, breakers, and who else is alive.

mod call;

pub(crate) use call::{Call, Cause, Failure};
