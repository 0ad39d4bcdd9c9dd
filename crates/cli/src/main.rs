//! The `tollgate` program: what an operator types.
#![expect(clippy::print_stderr, reason = "errors go where errors go")]

mod args;
mod check;
mod config;
mod database;
mod doctor;
mod escape;
mod explain;
mod facts;
mod file;
mod keys;
mod nodes;
mod outcome;
mod overrides;
mod people;
mod problems;
mod redis;
mod rules;
mod running;
mod say;
mod serve;
mod settings;
mod snippet;
mod status;
mod table;
mod wait;
mod when;
mod who;

use std::{ffi::OsString, process::ExitCode};

use args::{Args, Command};
use clap::FromArgMatches as _;
use outcome::Outcome;
use say::Format;

fn main() -> ExitCode {
    let typed: Vec<OsString> = std::env::args_os().collect();
    let matches = args::command().try_get_matches_from(&typed);
    let args = match matches.and_then(|matches| Args::from_arg_matches(&matches)) {
        Ok(args) => args,
        Err(usage) => return outcome::of_usage(usage, Format::of(&typed)),
    };
    let format = args.format();
    let done = match &args.command {
        Command::Serve(command) => command.run(format),
        Command::Check(command) => command.run(format),
        Command::Explain(command) => command.run(format),
        Command::Status(command) => command.run(format),
        Command::Nodes(command) => command.run(format),
        Command::Doctor(command) => command.run(format),
        Command::Config(command) => command.run(format),
        Command::Snippet(command) => command.run(format),
        Command::Rules(command) => rules::run(command, format),
        Command::Overrides(command) => overrides::run(command, format),
        Command::Keys(command) => keys::run(command, format),
        Command::Redis(command) => redis::run(command, format),
        Command::ApiKeys(command) => command.run(format),
        Command::Quotas(command) => command.run(format),
        Command::Block(command) => command.run(format),
        Command::Unblock(command) => command.run(format),
        Command::Blocks(command) => command.run(format),
        Command::Tokens(command) => command.run(format),
        Command::Audit(command) => command.run(format),
    };
    let outcome: Outcome = done.unwrap_or_else(|error| outcome::of_error(&error, format));
    outcome.into()
}
