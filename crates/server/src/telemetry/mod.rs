//! What can be seen from outside: metrics, logs, the busiest keys.

mod by_rule;
mod complaints;
mod counts;
mod histogram;
mod hot;
mod identity;
mod leases;
mod logs;
mod metrics;
mod openmetrics;
mod otlp;
mod outcome;
mod overflow;
mod reading;
mod recorder;
mod resident;
mod shared;
mod sketch;
#[cfg(test)]
mod tests;
mod top;
mod traffic;
mod unfinished;
mod unknown_tiers;

pub(crate) use complaints::Complaints;
pub use logs::install_logs;
pub(crate) use otlp::push;
pub(crate) use overflow::Overflow;
pub(crate) use recorder::Recorder;
pub(crate) use shared::FleetReading;
pub(crate) use top::{Hot, TopKeys};
pub(crate) use traffic::{Attempted, Protocol, Turned};
