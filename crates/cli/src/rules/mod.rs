//! `tollgate rules …`

mod apply;
mod diff;
mod export;
mod fmt;
mod history;
mod rollback;
mod schema;
mod side;
mod stranded;
mod test;
mod validate;

use clap::Subcommand;
use serde_json::Value;
use tollgate_catalog::RevisionNumber;
use tollgate_rules::{Diff, RuleSet, diff};

use crate::{outcome::Outcome, say::Format};

/// Rules as code
#[derive(Debug, Subcommand)]
pub(crate) enum RulesCommand {
    /// Check files: every error and warning, with line, column and fix
    Validate(validate::Validate),
    /// Lay files out in the one canonical way; comments stay
    Fmt(fmt::Fmt),
    /// Run the tests inside files, on virtual time
    Test(test::Test),
    /// Say what changes in meaning, and what becomes of the counters
    Diff(diff::Diff),
    /// Put a file in force as a new revision
    Apply(apply::Apply),
    /// Print a revision as a rules file
    Export(export::Export),
    /// List revisions, or the changes of one
    History(history::History),
    /// Make a new revision with the content of an old one
    Rollback(rollback::Rollback),
    /// Print the JSON Schema of rules files, for editors
    Schema,
}

pub(crate) fn run(command: &RulesCommand, format: Format) -> anyhow::Result<Outcome> {
    match command {
        RulesCommand::Validate(command) => command.run(format),
        RulesCommand::Fmt(command) => command.run(format),
        RulesCommand::Test(command) => command.run(format),
        RulesCommand::Diff(command) => command.run(format),
        RulesCommand::Apply(command) => command.run(format),
        RulesCommand::Export(command) => command.run(format),
        RulesCommand::History(command) => command.run(format),
        RulesCommand::Rollback(command) => command.run(format),
        RulesCommand::Schema => schema::run(),
    }
}

/// A number that was typed.
fn number(typed: u64) -> anyhow::Result<RevisionNumber> {
    let number = RevisionNumber::new(typed);
    number.ok_or_else(|| anyhow::anyhow!("{typed} is not the number of a revision"))
}

/// What applying a file would change: a rule that is there is the same rule, whatever it was called first.
fn changes(live: &RuleSet, file: &RuleSet) -> Diff {
    let mut file = file.clone();
    file.adopt_ids(live);
    diff(live, &file)
}

/// A list of differences for programs.
fn differences(diff: &Diff) -> Value {
    let mut json = diff.to_json();
    json.get_mut("differences").map_or_else(|| Value::Array(Vec::new()), Value::take)
}

/// `1 error`, `2 errors`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}
