//! What can be typed.

use clap::{Parser, Subcommand};

use crate::{
    check::Check,
    config::Config,
    doctor::Doctor,
    explain::Explain,
    keys::KeysCommand,
    nodes::Nodes,
    overrides::OverridesCommand,
    people::{ApiKeysCommand, Audit, Block, Blocks, QuotasCommand, TokensCommand, Unblock},
    rules::RulesCommand,
    say::Format,
    serve::Serve,
    snippet::Snippet,
    status::Status,
};

/// Tollgate, a rate limiter for APIs
#[derive(Debug, Parser)]
#[command(
    name = "tollgate",
    version,
    arg_required_else_help = true,
    after_help = "Exit codes: 0 as asked, 1 an error, 2 differences were found, a check was denied or a server is degraded."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print JSON for programs instead of text for people
    #[arg(long, global = true, display_order = 900)]
    json: bool,
}

impl Args {
    pub(crate) const fn format(&self) -> Format {
        if self.json {
            Format::Json
        } else {
            Format::Text
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the server
    Serve(Serve),
    /// Ask a running server whether a request may pass
    Check(Check),
    /// Say which rules a request meets, which it misses, and why
    Explain(Explain),
    /// Say how a running server is: rules, listeners, database, Redis, nodes
    Status(Status),
    /// List the nodes: the revision of each, and when it was last seen
    Nodes(Nodes),
    /// Find out what is wrong: settings, ports, data, database, rules, Redis
    Doctor(Doctor),
    /// Print every setting of the server, its value, and where that came from
    Config(Config),
    /// Print a configuration that makes a gateway ask this server
    Snippet(Snippet),
    /// Rules as code: check, test, compare and apply a rules file
    #[command(subcommand)]
    Rules(RulesCommand),
    /// Exceptions for one key: list, set, remove
    #[command(subcommand)]
    Overrides(OverridesCommand),
    /// Counters: show and reset those of a request, find the busiest
    #[command(subcommand)]
    Keys(KeysCommand),
    /// API keys: issue, list, show, rotate, rename, revoke
    #[command(subcommand)]
    ApiKeys(ApiKeysCommand),
    /// What is agreed with single users: set, show, list, remove
    #[command(subcommand)]
    Quotas(QuotasCommand),
    /// Deny a user, an organisation, an API key or an address, on every node
    Block(Block),
    /// End a block
    Unblock(Unblock),
    /// List who is blocked
    Blocks(Blocks),
    /// Tokens of the admin side: issue, list, revoke
    #[command(subcommand)]
    Tokens(TokensCommand),
    /// Who changed what, and who was turned away
    Audit(Audit),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::Args;

    #[test]
    fn the_command_line_is_well_formed() {
        Args::command().debug_assert();
    }
}
