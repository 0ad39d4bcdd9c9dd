//! How a command ended, as programs see it.

use std::process::ExitCode;

use serde_json::json;

use crate::say::Format;

/// What the exit code says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// 0: as asked.
    Fine,
    /// 1: not done, or not right.
    Wrong,
    /// 2: right, but not the same.
    Different,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Fine => Self::SUCCESS,
            Outcome::Wrong => Self::from(1),
            Outcome::Different => Self::from(2),
        }
    }
}

/// Tells what went wrong, with its causes.
pub(crate) fn of_error(error: &anyhow::Error, format: Format) -> Outcome {
    match format {
        Format::Text => eprintln!("error: {error:#}"),
        Format::Json => println!("{:#}", json!({ "error": format!("{error:#}") })),
    }
    Outcome::Wrong
}

/// A command that was not understood is an error, 1: 2 is for differences.
pub(crate) fn of_usage(usage: &clap::Error) -> ExitCode {
    // Nothing is left to tell anybody if the terminal is gone.
    drop(usage.print());
    let outcome = if usage.use_stderr() {
        Outcome::Wrong
    } else {
        Outcome::Fine
    };
    outcome.into()
}
