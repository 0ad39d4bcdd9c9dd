//! `tollgate block`, `tollgate unblock` and `tollgate blocks`

use anyhow::ensure;
use serde_json::{Value, json};

use super::{
    body::{known_to, object, settled, text, word},
    limits::End,
    table,
};
use crate::{
    outcome::Outcome,
    running::{Server, Verb, encoded, path},
    say::Format,
};

/// Who is meant
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct Whom {
    /// A user
    #[arg(long, value_name = "USER")]
    user: Option<String>,
    /// An organisation
    #[arg(long, value_name = "ORG")]
    org: Option<String>,
    /// An API key, by its id
    #[arg(long, value_name = "ID")]
    api_key: Option<String>,
    /// An address or a network
    #[arg(long, value_name = "ADDRESS")]
    ip: Option<String>,
}

impl Whom {
    const fn each(&self) -> [(&'static str, Option<&String>); 4] {
        [
            ("user_id", self.user.as_ref()),
            ("org_id", self.org.as_ref()),
            ("api_key", self.api_key.as_ref()),
            ("ip", self.ip.as_ref()),
        ]
    }
}

/// Deny a user, an organisation, an API key or an address, on every node
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Waits up to 2 s until every live node knows. Nothing lets somebody pass who is blocked, not even a \
    rule with action allow.\n\n\
    Exit codes: 0 blocked, and every live node knows; 1 an error; 2 blocked, and a node has not confirmed yet."
)]
pub(crate) struct Block {
    #[command(flatten)]
    whom: Whom,
    /// Why; whoever looks it up reads this
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    end: End,
    #[command(flatten)]
    server: Server,
}

/// End a block
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 ended; 1 an error, or nobody was blocked; 2 ended, and a node has not confirmed yet."
)]
pub(crate) struct Unblock {
    #[command(flatten)]
    whom: Whom,
    #[command(flatten)]
    server: Server,
}

/// List who is blocked
#[derive(Debug, clap::Args)]
pub(crate) struct Blocks {
    /// Also those that have ended
    #[arg(long)]
    all: bool,
    /// The most that are listed
    #[arg(long, value_name = "COUNT", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    limit: u16,
    #[command(flatten)]
    server: Server,
}

const LIST: &str = "/ratelimit/blocks";

impl Block {
    pub(crate) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let [user, org, api_key, ip] = self.whom.each().map(|(name, value)| (name, text(value)));
        let body = object([
            user,
            org,
            api_key,
            ip,
            ("reason", text(self.reason.as_ref())),
            ("until", self.end.until()?),
            ("ttl", self.end.ttl()),
        ]);
        let answer = self.server.done(Verb::Post(&body), LIST)?;
        let words = || {
            format!(
                "{}: {} is blocked{}{}",
                word(&answer, "id"),
                subject(&answer),
                until(&answer),
                known_to(&answer)
            )
        };
        format.say(words, || answer.clone())?;
        Ok(settled(&answer))
    }
}

/// ` until 2027-01-01T00:00:00Z`, if it has an end.
fn until(block: &Value) -> String {
    let until = block.get("until").and_then(Value::as_str);
    until.map_or_else(String::new, |until| format!(" until {until}"))
}

/// `user_id alice`
fn subject(block: &Value) -> String {
    let known = ["user_id", "org_id", "api_key", "ip"];
    let named = known.into_iter().find(|name| block.get(name).is_some_and(Value::is_string));
    named.map_or_else(String::new, |name| format!("{name} {}", word(block, name)))
}

impl Unblock {
    pub(crate) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let query = self.whom.each().map(|(name, value)| (name, value.map(String::as_str)));
        let found = self.server.done(Verb::Get, &path(LIST, &query))?;
        let blocks = found.get("blocks").and_then(Value::as_array);
        let blocks = blocks.map_or(&[][..], Vec::as_slice);
        ensure!(
            !blocks.is_empty(),
            "there is no such block: `tollgate blocks` lists those in force"
        );
        let mut answers = Vec::with_capacity(blocks.len());
        for block in blocks {
            let one = format!("{LIST}/{}", encoded(&word(block, "id")));
            answers.push(self.server.done(Verb::Delete, &one)?);
        }
        let words = || {
            let ended = blocks.iter().zip(&answers).map(|(block, answer)| {
                format!(
                    "{}: {} is not blocked any more{}\n",
                    word(block, "id"),
                    subject(block),
                    known_to(answer)
                )
            });
            ended.collect::<String>()
        };
        format.say(words, || json!({ "ended": answers }))?;
        let all = answers.iter().map(settled);
        Ok(all.into_iter().find(|it| *it != Outcome::Fine).unwrap_or(Outcome::Fine))
    }
}

impl Blocks {
    pub(crate) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let limit = self.limit.to_string();
        let active = (!self.all).then_some("true");
        let query = [("active", active), ("limit", Some(limit.as_str()))];
        let answer = self.server.done(Verb::Get, &path(LIST, &query))?;
        let columns = [
            ("ID", "id"),
            ("USER", "user_id"),
            ("ORG", "org_id"),
            ("API KEY", "api_key"),
            ("ADDRESS", "ip"),
            ("UNTIL", "until"),
            ("BY", "changed_by"),
            ("REASON", "reason"),
        ];
        let none = "nobody is blocked";
        table::tell(&answer, "blocks", &columns, none, format)
    }
}
