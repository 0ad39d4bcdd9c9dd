//! The log: to the standard error, for people or for programs.
//!
//! Each level says who must act: `error` somebody now, `warn` somebody soon, `info` nobody, but it tells
//! the story of the process. Nothing at `info` or above grows with traffic.

use std::io;

use tracing_subscriber::{
    filter::{LevelFilter, Targets},
    fmt,
    layer::SubscriberExt as _,
    registry,
    util::SubscriberInitExt as _,
};

use crate::config::{LogFormat, Logs};

/// The library logs what peers do to each connection: only errors, unless the setting names it.
const QUIET: (&str, LevelFilter) = ("h2", LevelFilter::ERROR);

/// Sends what this process logs to the standard error, from now on.
///
/// # Errors
///
/// Why it cannot: the directive is not one, or somebody else was first.
pub fn install_logs(logs: &Logs) -> Result<(), String> {
    let filter = logs.level.parse::<Targets>();
    let mut filter = filter.map_err(|error| format!("log is {:?}: {error}", logs.level))?;
    let (library, level) = QUIET;
    if !filter.iter().any(|(target, _)| target.starts_with(library)) {
        filter = filter.with_target(library, level);
    }
    let base = registry().with(filter);
    let installed = match logs.format {
        LogFormat::Text => {
            // Colours need a feature that is not built in; asking for them on a terminal ends a debug build.
            let text = fmt::layer()
                .with_writer(io::stderr)
                .with_ansi(false)
                .with_target(false);
            base.with(text).try_init()
        }
        LogFormat::Json => {
            let json = fmt::layer()
                .json()
                .flatten_event(true)
                .with_writer(io::stderr);
            base.with(json.with_current_span(false).with_span_list(false))
                .try_init()
        }
    };
    installed.map_err(|error| format!("cannot log: {error}"))
}
