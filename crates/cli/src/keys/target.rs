//! Whose counters, and which server knows them.

use serde_json::Value;

use crate::{
    facts::{Fact, Facts},
    outcome::Failure,
    running::{self, Server, Verb, encoded},
};

/// The counters of a request, as a running server has them
#[derive(Debug, clap::Args)]
pub(super) struct Target {
    /// The facts of the request: user_id=alice endpoint=/api/v1/login method=POST
    #[arg(required_unless_present = "rule", value_name = "FIELD=VALUE")]
    facts: Vec<Fact>,
    /// Only the counters of this rule
    #[arg(long, value_name = "RULE")]
    rule: Option<String>,
    #[command(flatten)]
    server: Server,
}

impl Target {
    /// Asks the server about them.
    pub(super) fn ask(&self, verb: Verb<'_>) -> anyhow::Result<Value> {
        let facts = Facts::new(&self.facts)?;
        let rule = self.rule.as_deref().map(|rule| ("rule", rule));
        let pairs = facts.to_pairs()?.into_iter().chain(rule);
        let pairs: Vec<String> =
            pairs.map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
        let path = format!("/ratelimit/keys?{}", pairs.join("&"));
        let (status, answer) = self.server.ask(verb, &path)?;
        match status {
            200 => Ok(answer),
            // The server says what; what to do is for whoever typed.
            404 if self.rule.is_some() => {
                let error = running::refusal(status, &answer);
                let words =
                    format!("{error}; `tollgate explain` shows which rules a request meets");
                Err(Failure::new(words).with("answer", answer).into())
            }
            _ => Err(running::refusal(status, &answer)),
        }
    }
}
