//! `tollgate keys …`

mod hot;
mod reset;
mod show;
mod target;
mod words;

use clap::Subcommand;

use crate::{outcome::Outcome, say::Format};

/// Counters by the facts of a request, and the busiest
#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Show the counters that a request would be charged on; charge nothing
    Show(show::Show),
    /// Make the counters of a request fresh, at once
    Reset(reset::Reset),
    /// Show the keys that a node is asked for most
    Hot(hot::Hot),
}

pub(crate) fn run(command: &KeysCommand, format: Format) -> anyhow::Result<Outcome> {
    match command {
        KeysCommand::Show(command) => command.run(format),
        KeysCommand::Reset(command) => command.run(format),
        KeysCommand::Hot(command) => command.run(format),
    }
}
