//! `tollgate overrides …`

mod fit;
mod list;
mod remove;
mod set;

pub(crate) use list::described;

use clap::Subcommand;

use crate::{outcome::Outcome, say::Format};

/// Exceptions for one key
#[derive(Debug, Subcommand)]
pub(crate) enum OverridesCommand {
    /// List overrides
    List(list::List),
    /// Give one key other limits, for a while or for good
    Set(set::Set),
    /// End overrides at once
    Remove(remove::Remove),
}

pub(crate) fn run(command: &OverridesCommand, format: Format) -> anyhow::Result<Outcome> {
    match command {
        OverridesCommand::List(command) => command.run(format),
        OverridesCommand::Set(command) => command.run(format),
        OverridesCommand::Remove(command) => command.run(format),
    }
}
