//! `tollgate tokens …`

use clap::Subcommand;
use serde_json::json;

use super::{
    body::{known_to, object, settled, word},
    limits::End,
    table,
};
use crate::{
    outcome::Outcome,
    running::{Server, Verb, encoded, path},
    say::Format,
};

/// Tokens of the admin side
#[derive(Debug, Subcommand)]
pub(crate) enum TokensCommand {
    /// Issue a token in a role; it is shown this once
    Create(Create),
    /// List tokens, without the tokens themselves
    List(List),
    /// Revoke a token for good, on every node
    Revoke(Revoke),
}

/// Issue a token in a role; it is shown this once
#[derive(Debug, clap::Args)]
pub(crate) struct Create {
    /// Who holds it: the actor in the audit
    name: String,
    /// viewer, operator, admin or automation
    #[arg(long, value_name = "ROLE")]
    role: String,
    /// Less than the role may, such as read; may be given several times
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    #[command(flatten)]
    end: End,
    #[command(flatten)]
    server: Server,
}

/// List tokens, without the tokens themselves
#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// The most that are listed
    #[arg(long, value_name = "COUNT", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    limit: u16,
    #[command(flatten)]
    server: Server,
}

/// Revoke a token for good, on every node
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 revoked, and every live node knows; 1 an error; 2 revoked, and a node has not confirmed yet."
)]
pub(crate) struct Revoke {
    /// Its id, such as t19
    id: String,
    #[command(flatten)]
    server: Server,
}

const LIST: &str = "/ratelimit/tokens";

impl TokensCommand {
    pub(crate) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        match self {
            Self::Create(command) => command.run(format),
            Self::List(command) => command.run(format),
            Self::Revoke(command) => command.run(format),
        }
    }
}

impl Create {
    fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let scopes = (!self.scopes.is_empty()).then(|| json!(self.scopes));
        let body = object([
            ("name", Some(json!(self.name))),
            ("role", Some(json!(self.role))),
            ("scopes", scopes),
            ("expires_at", self.end.until()?),
            ("ttl", self.end.ttl()),
        ]);
        let answer = self.server.done(Verb::Post(&body), LIST)?;
        let text = || {
            format!(
                "{}\n{} ({}, {}): keep it now, it is not shown again",
                word(&answer, "token"),
                word(&answer, "id"),
                word(&answer, "name"),
                word(&answer, "role"),
            )
        };
        format.say(text, || answer.clone())?;
        Ok(Outcome::Fine)
    }
}

impl List {
    fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let limit = self.limit.to_string();
        let answer = self.server.done(Verb::Get, &path(LIST, &[("limit", Some(&limit))]))?;
        let columns = [
            ("ID", "id"),
            ("NAME", "name"),
            ("BEGINS", "begins"),
            ("ROLE", "role"),
            ("SCOPES", "scopes"),
            ("STATE", "state"),
            ("EXPIRES", "expires_at"),
        ];
        let none = "no token was issued: `tollgate tokens create NAME --role ROLE` issues one";
        table::tell(&answer, "tokens", &columns, none, format)
    }
}

impl Revoke {
    fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let path = format!("{LIST}/{}/revoke", encoded(&self.id));
        let answer = self.server.done(Verb::Do, &path)?;
        let text = || format!("{} is revoked{}", word(&answer, "id"), known_to(&answer));
        format.say(text, || answer.clone())?;
        Ok(settled(&answer))
    }
}
