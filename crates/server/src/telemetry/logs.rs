//! The log: to the standard error, for people or for programs.
//!
//! Each level says who must act: `error` somebody now, `warn` somebody soon, `info` nobody, but it tells
//! the story of the process. Nothing at `info` or above grows with traffic.

use std::io;

use tracing::{Metadata, Subscriber};
use tracing_subscriber::{
    Layer,
    filter::{LevelFilter, Targets, filter_fn},
    fmt::{self, MakeWriter},
    layer::SubscriberExt as _,
    registry::LookupSpan,
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
    let base = tracing_subscriber::registry().with(filter);
    let installed = match logs.format {
        LogFormat::Text => base.with(text_layer(io::stderr)).try_init(),
        LogFormat::Json => {
            let json = fmt::layer().json().flatten_event(true).with_writer(io::stderr);
            base.with(json.with_current_span(false).with_span_list(false)).try_init()
        }
    };
    installed.map_err(|error| format!("cannot log: {error}"))
}

/// Lines for people. A line of a library begins with the library's name, since its words do not say whose they are:
/// PostgreSQL's "terminating connection due to …" comes from `sqlx::postgres::notice`.
fn text_layer<S, W>(writer: W) -> impl Layer<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: for<'w> MakeWriter<'w> + Clone + 'static + Send + Sync,
{
    let lines = move |shows_target| {
        // Colours need a feature that is not built in; asking for them on a terminal ends a debug build.
        fmt::layer().with_writer(writer.clone()).with_ansi(false).with_target(shows_target)
    };
    let ours = lines(false).with_filter(filter_fn(is_ours));
    let theirs = lines(true).with_filter(filter_fn(|about| !is_ours(about)));
    ours.and_then(theirs)
}

fn is_ours(about: &Metadata<'_>) -> bool {
    about.target().starts_with("tollgate")
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_of_a_library_says_whose_it_is() {
        let written = Arc::new(Mutex::new(Vec::new()));
        let lines = Lines(Arc::clone(&written));
        let layer = text_layer(move || lines.clone());
        let subscriber = tracing_subscriber::registry().with(layer);
        tracing::subscriber::with_default(subscriber, || {
            tracing::warn!(target: "sqlx::postgres::notice", "terminating connection");
            tracing::warn!("Rules are old.");
        });
        let written = String::from_utf8(written.lock().unwrap().clone()).unwrap();
        let lines: Vec<&str> = written.lines().collect();
        let [theirs, ours] = lines.as_slice() else {
            panic!("{written}");
        };
        assert!(
            theirs.ends_with("WARN sqlx::postgres::notice: terminating connection"),
            "{theirs}"
        );
        assert!(ours.ends_with("WARN Rules are old."), "{ours}");
    }
}
