//! What can be seen from outside: metrics, logs, the busiest keys.

mod by_rule;
mod counts;
mod histogram;
mod logs;
mod metrics;
mod openmetrics;
mod outcome;
mod protocol;
mod reading;
mod recorder;
mod resident;
mod sketch;
#[cfg(test)]
mod tests;
mod top;
mod traffic;

pub use logs::install_logs;
pub(crate) use openmetrics::CONTENT_TYPE;
pub(crate) use protocol::{Protocol, Turned};
pub(crate) use recorder::Recorder;
pub(crate) use top::{Hot, Top, TopKeys};
