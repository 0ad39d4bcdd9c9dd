//! What can be typed.

use clap::{Arg, Command as ClapCommand, CommandFactory as _, Parser, Subcommand};
use tollgate_server::SETTINGS;

use crate::{
    check::Check,
    config::Config,
    doctor::Doctor,
    explain::Explain,
    keys::KeysCommand,
    nodes::Nodes,
    overrides::OverridesCommand,
    people::{ApiKeysCommand, Audit, Block, Blocks, QuotasCommand, TokensCommand, Unblock},
    redis::RedisCommand,
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
        if self.json { Format::Json } else { Format::Text }
    }
}

/// The settings that `tollgate snippet` looks at.
const OF_SNIPPETS: [&str; 9] = [
    "http",
    "grpc",
    "tls_cert",
    "tls_key",
    "tls_client_ca",
    "http_tls_cert",
    "http_tls_client_ca",
    "grpc_tls_cert",
    "grpc_tls_client_ca",
];
/// Those of the settings that `tollgate doctor` and `tollgate config` look at which are given most often.
const OF_DOCTOR: [&str; 8] =
    ["http", "grpc", "resp", "admin", "data", "database", "redis", "rules"];

/// The whole command line. Commands that take every flag of `tollgate serve` list those they are mostly given; the
/// rest is taken too, and listed by `tollgate serve --help`.
pub(crate) fn command() -> ClapCommand {
    let listing = |shown: &'static [&str]| {
        move |command: ClapCommand| command.mut_args(|arg| listed(arg, shown))
    };
    Args::command()
        .mut_subcommand("snippet", listing(&OF_SNIPPETS))
        .mut_subcommand("doctor", listing(&OF_DOCTOR))
        .mut_subcommand("config", listing(&OF_DOCTOR))
}

fn listed(arg: Arg, shown: &[&str]) -> Arg {
    let id = arg.get_id().as_str();
    let is_setting = SETTINGS.iter().any(|setting| setting.name == id);
    let is_hidden = is_setting && !shown.contains(&id);
    arg.hide(is_hidden)
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
    /// Redis: trust a server that may have lost counters
    #[command(subcommand)]
    Redis(RedisCommand),
    /// API keys: issue, list, show, rotate, rename, revoke
    #[command(subcommand)]
    ApiKeys(ApiKeysCommand),
    /// Quotas of single users: set, show, list, remove
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
    use tollgate_server::SETTINGS;

    use super::{OF_DOCTOR, OF_SNIPPETS, command};

    #[test]
    fn the_command_line_is_well_formed() {
        command().debug_assert();
        for name in OF_SNIPPETS.iter().chain(&OF_DOCTOR) {
            let mut settings = SETTINGS.iter();
            assert!(settings.any(|setting| setting.name == *name), "{name}");
        }
    }
}
