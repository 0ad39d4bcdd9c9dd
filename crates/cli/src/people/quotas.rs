//! `tollgate quotas …`

use clap::Subcommand;
use serde_json::Value;

use super::{
    body::{known_to, object, settled, text, word},
    limits::Limits,
    table,
};
use crate::{
    outcome::Outcome,
    running::{Server, Verb, encoded, path},
    say::Format,
};

/// Quotas of single users
#[derive(Debug, Subcommand)]
pub(crate) enum QuotasCommand {
    /// Set a user's quota: a tier, limits, or both; replaces the quota before
    Set(Set),
    /// Show a user's quota, and what the user has used
    Show(One),
    /// List quotas
    List(List),
    /// Remove a user's quota
    Remove(One),
}

/// Set a user's quota: a tier, limits, or both; replaces the quota before
#[derive(Debug, clap::Args)]
#[command(after_help = "Waits up to 2 s until every live node knows.\n\n\
    Exit codes: 0 set, and every live node knows; 1 an error; 2 set, and a node has not confirmed yet.")]
pub(crate) struct Set {
    /// The user
    user: String,
    /// The tier of requests that state none
    #[arg(long, value_name = "TIER")]
    tier: Option<String>,
    #[command(flatten)]
    limits: Limits,
    /// Why, for the audit
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    server: Server,
}

/// The quota of one user
#[derive(Debug, clap::Args)]
pub(crate) struct One {
    /// The user
    user: String,
    #[command(flatten)]
    server: Server,
}

/// List quotas
#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// The most that are listed
    #[arg(long, value_name = "COUNT", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    limit: u16,
    #[command(flatten)]
    server: Server,
}

const LIST: &str = "/ratelimit/quotas";
/// As long as the server waits for a block, so that a command that ended is in force.
const WAIT: (&str, Option<&str>) = ("wait", Some("2s"));

impl QuotasCommand {
    pub(crate) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        match self {
            Self::Set(command) => command.run(format),
            Self::Show(command) => command.show(format),
            Self::List(command) => command.run(format),
            Self::Remove(command) => command.remove(format),
        }
    }
}

impl Set {
    fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let body = object([
            ("tier", text(self.tier.as_ref())),
            ("limits", self.limits.limits()),
            ("burst", self.limits.burst()),
        ]);
        let path = path(
            &format!("{LIST}/{}", encoded(&self.user)),
            &[("reason", self.reason.as_deref()), WAIT],
        );
        let answer = self.server.done(Verb::Put(&body), &path)?;
        let text = || {
            format!(
                "{}: tier {}, limits {}{}",
                word(&answer, "user_id"),
                word(&answer, "tier"),
                word(&answer, "limits"),
                known_to(&answer)
            )
        };
        format.say(text, || answer.clone())?;
        Ok(settled(&answer))
    }
}

impl One {
    fn path(&self) -> String {
        format!("{LIST}/{}", encoded(&self.user))
    }

    fn show(&self, format: Format) -> anyhow::Result<Outcome> {
        let answer = self.server.done(Verb::Get, &self.path())?;
        format.say(|| shown(&answer), || answer.clone())?;
        Ok(Outcome::Fine)
    }

    fn remove(&self, format: Format) -> anyhow::Result<Outcome> {
        let path = path(&self.path(), &[WAIT]);
        let answer = self.server.done(Verb::Delete, &path)?;
        let text = || format!("{} has no quota any more{}", self.user, known_to(&answer));
        format.say(text, || answer.clone())?;
        Ok(settled(&answer))
    }
}

fn shown(answer: &Value) -> String {
    let mut words = format!("{}\n", word(answer, "user_id"));
    for name in ["tier", "limits", "burst"] {
        words += &format!("  {name:10}  {}\n", word(answer, name));
    }
    if let Some(block) = answer.get("block").filter(|block| block.is_object()) {
        let (until, reason) = (word(block, "until"), word(block, "reason"));
        words += &format!("  blocked     until {until}: {reason} ({})\n", word(block, "id"));
    }
    words + &used(answer)
}

/// What was used, in words.
pub(super) fn used(answer: &Value) -> String {
    let Some(usage) = answer.get("usage") else {
        return String::new();
    };
    let line = |name: &str| {
        let number = |which: &str| {
            let value = usage.get(name).and_then(|pair| pair.get(which));
            value.and_then(Value::as_u64).unwrap_or_default()
        };
        format!("  {name:10}  {} allowed, {} denied\n", number("allowed"), number("denied"))
    };
    let last = format!("  last        {}\n", word(usage, "last_at"));
    line("today") + &line("month") + &line("total") + &last
}

impl List {
    fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let limit = self.limit.to_string();
        let answer = self.server.done(Verb::Get, &path(LIST, &[("limit", Some(&limit))]))?;
        let columns = [
            ("USER", "user_id"),
            ("TIER", "tier"),
            ("LIMITS", "limits"),
            ("CHANGED", "changed_at"),
            ("BY", "changed_by"),
        ];
        let none = "no quotas: create one with `tollgate quotas set USER`";
        table::tell(&answer, "quotas", &columns, none, format)
    }
}
