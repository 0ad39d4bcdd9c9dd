//! What can be seen from outside: metrics, logs, the busiest keys.

mod recorder;

pub(crate) use recorder::{Protocol, Recorder, Turned};
