//! What can be seen from outside: metrics, logs, the busiest keys.

mod logs;
mod recorder;

pub use logs::install_logs;
pub(crate) use recorder::{Protocol, Recorder, Turned};
