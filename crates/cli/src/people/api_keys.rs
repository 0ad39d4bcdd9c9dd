//! `tollgate api-keys …`

use clap::Subcommand;
use serde_json::{Value, json};

use super::{
    body::{known_to, object, settled, text, word},
    limits::{End, Limits},
    table,
};
use crate::{
    outcome::Outcome,
    running::{Server, Verb, encoded, path},
    say::Format,
};

/// API keys that a running server issues
#[derive(Debug, Subcommand)]
pub(crate) enum ApiKeysCommand {
    /// Issue a key; it is shown this once
    Create(Create),
    /// List keys, without the keys themselves
    List(List),
    /// Show one key, with what it has used
    Show(One),
    /// Issue another key in the place of one; the one before ends at once, or after --grace
    Rotate(Rotate),
    /// Give a key another name
    Rename(Rename),
    /// Revoke a key for good, on every node
    Revoke(Revoke),
}

/// Issue a key; it is shown this once
#[derive(Debug, clap::Args)]
pub(crate) struct Create {
    /// What people call it
    name: String,
    /// Whose it is
    #[arg(long, value_name = "USER")]
    user: Option<String>,
    /// For which organisation
    #[arg(long, value_name = "ORG")]
    org: Option<String>,
    /// Of which tier
    #[arg(long, value_name = "TIER")]
    tier: Option<String>,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    end: End,
    /// Why, for the audit
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    server: Server,
}

/// List keys, without the keys themselves
#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// Only those of this user
    #[arg(long, value_name = "USER")]
    user: Option<String>,
    /// Only those of this organisation
    #[arg(long, value_name = "ORG")]
    org: Option<String>,
    /// The most that are listed
    #[arg(long, value_name = "COUNT", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    limit: u16,
    #[command(flatten)]
    server: Server,
}

/// Show one key, with what it has used
#[derive(Debug, clap::Args)]
pub(crate) struct One {
    /// Its id, such as k17
    id: String,
    #[command(flatten)]
    server: Server,
}

/// Issue another key in the place of one
#[derive(Debug, clap::Args)]
pub(crate) struct Rotate {
    /// Its id, such as k17
    id: String,
    /// How long the one before is still accepted, such as 24h
    #[arg(long, value_name = "SPAN")]
    grace: Option<String>,
    /// Why, for the audit
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    server: Server,
}

/// Give a key another name
#[derive(Debug, clap::Args)]
pub(crate) struct Rename {
    /// Its id, such as k17
    id: String,
    /// What people call it from now on
    name: String,
    #[command(flatten)]
    server: Server,
}

/// Revoke a key for good, on every node
#[derive(Debug, clap::Args)]
#[command(after_help = "Waits up to 2 s until every live node knows.\n\n\
    Exit codes: 0 revoked, and every live node knows; 1 an error; 2 revoked, and a node has not confirmed yet.")]
pub(crate) struct Revoke {
    /// Its id, such as k17
    id: String,
    /// Why, for the audit
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    server: Server,
}

const LIST: &str = "/ratelimit/api-keys";

impl ApiKeysCommand {
    pub(crate) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        match self {
            Self::Create(command) => command.run(format),
            Self::List(command) => command.run(format),
            Self::Show(command) => command.run(format),
            Self::Rotate(command) => command.run(format),
            Self::Rename(command) => command.run(format),
            Self::Revoke(command) => command.run(format),
        }
    }
}

impl Create {
    fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let body = object([
            ("name", Some(json!(self.name))),
            ("user_id", text(self.user.as_ref())),
            ("org_id", text(self.org.as_ref())),
            ("tier", text(self.tier.as_ref())),
            ("limits", self.limits.limits()),
            ("burst", self.limits.burst()),
            ("expires_at", self.end.until()?),
            ("ttl", self.end.ttl()),
        ]);
        let path = path(LIST, &[("reason", self.reason.as_deref())]);
        let answer = self.server.done(Verb::Post(&body), &path)?;
        format.say(|| issued(&answer), || answer.clone())?;
        Ok(Outcome::Fine)
    }
}

fn issued(answer: &Value) -> String {
    format!(
        "{}\n{} ({}): keep it now, it is not shown again",
        word(answer, "key"),
        word(answer, "id"),
        word(answer, "name"),
    )
}

impl List {
    fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let limit = self.limit.to_string();
        let query = [
            ("user_id", self.user.as_deref()),
            ("org_id", self.org.as_deref()),
            ("limit", Some(limit.as_str())),
        ];
        let answer = self.server.done(Verb::Get, &path(LIST, &query))?;
        let columns = [
            ("ID", "id"),
            ("NAME", "name"),
            ("BEGINS", "begins"),
            ("USER", "user_id"),
            ("ORG", "org_id"),
            ("TIER", "tier"),
            ("LIMITS", "limits"),
            ("STATE", "state"),
            ("EXPIRES", "expires_at"),
        ];
        let none = "no API key was issued: `tollgate api-keys create NAME` issues one";
        table::tell(&answer, "api_keys", &columns, none, format)
    }
}

impl One {
    fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let answer = self.server.done(Verb::Get, &format!("{LIST}/{}", encoded(&self.id)))?;
        format.say(|| shown(&answer), || answer.clone())?;
        Ok(Outcome::Fine)
    }
}

fn shown(answer: &Value) -> String {
    let mut words = format!("{} ({})\n", word(answer, "id"), word(answer, "name"));
    for name in [
        "state",
        "begins",
        "user_id",
        "org_id",
        "tier",
        "limits",
        "burst",
        "expires_at",
        "created_by",
    ] {
        words += &format!("  {name:10}  {}\n", word(answer, name));
    }
    words + &super::quotas::used(answer)
}

impl Rotate {
    fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let path = path(
            &format!("{LIST}/{}/rotate", encoded(&self.id)),
            &[("grace", self.grace.as_deref()), ("reason", self.reason.as_deref())],
        );
        let answer = self.server.done(Verb::Do, &path)?;
        format.say(|| issued(&answer), || answer.clone())?;
        Ok(Outcome::Fine)
    }
}

impl Rename {
    fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let body = json!({ "name": self.name });
        let path = format!("{LIST}/{}", encoded(&self.id));
        let answer = self.server.done(Verb::Put(&body), &path)?;
        let text = || format!("{} is {} now", word(&answer, "id"), word(&answer, "name"));
        format.say(text, || answer.clone())?;
        Ok(Outcome::Fine)
    }
}

impl Revoke {
    fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let path = path(
            &format!("{LIST}/{}/revoke", encoded(&self.id)),
            &[("reason", self.reason.as_deref())],
        );
        let answer = self.server.done(Verb::Do, &path)?;
        let text = || format!("{} is revoked{}", word(&answer, "id"), known_to(&answer));
        format.say(text, || answer.clone())?;
        Ok(settled(&answer))
    }
}
