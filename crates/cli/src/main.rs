//! The `tollgate` program: what an operator types.
#![expect(clippy::print_stdout, reason = "printing is what a command line does")]
#![expect(clippy::print_stderr, reason = "errors go where errors go")]

mod args;
mod database;
mod file;
mod outcome;
mod overrides;
mod rules;
mod say;
mod when;

use std::process::ExitCode;

use args::{Args, Command};
use clap::Parser as _;
use outcome::Outcome;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(usage) => return outcome::of_usage(&usage),
    };
    let format = args.format();
    let done = match &args.command {
        Command::Rules(command) => rules::run(command, format),
        Command::Overrides(command) => overrides::run(command, format),
    };
    let outcome: Outcome = done.unwrap_or_else(|error| outcome::of_error(&error, format));
    outcome.into()
}
