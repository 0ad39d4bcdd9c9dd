//! `tollgate check`

use serde_json::Value;

use crate::{
    facts::{Fact, Facts},
    outcome::Outcome,
    running::{self, Credentials, Verb},
    say::Format,
};

/// Ask a running server whether a request may pass
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Fields: user_id, org_id, api_key, ip, tier, endpoint, method, region, cost, scope, \
    attributes.NAME.\n\nExit codes: 0 allowed; 1 an error; 2 denied."
)]
pub(crate) struct Check {
    /// The facts of the request: user_id=alice endpoint=/api/v1/login method=POST
    #[arg(required = true, value_name = "FIELD=VALUE")]
    facts: Vec<Fact>,
    /// Only look: charge nothing
    #[arg(long)]
    peek: bool,
    /// Where the server answers decisions over HTTP
    #[arg(
        long,
        value_name = "ADDRESS",
        env = "TOLLGATE_HTTP",
        default_value = "127.0.0.1:7070"
    )]
    http: String,
    #[command(flatten)]
    credentials: Credentials,
}

impl Check {
    pub(crate) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let body = Facts::new(&self.facts)?.to_json()?;
        let path = if self.peek {
            "/ratelimit/peek"
        } else {
            "/ratelimit/check"
        };
        let (status, answer) =
            running::ask(Verb::Post(&body), &self.http, path, &self.credentials)?;
        let Some(is_allowed) = answer.get("allowed").and_then(Value::as_bool) else {
            return Err(running::refusal(status, &answer));
        };
        format.say(|| in_words(&answer), || answer.clone())?;
        Ok(if is_allowed {
            Outcome::Fine
        } else {
            Outcome::Different
        })
    }
}

fn in_words(answer: &Value) -> String {
    let number = |of: &Value, name: &str| of.get(name).and_then(Value::as_u64);
    let text = |of: &Value, name: &str| of.get(name).and_then(Value::as_str).map(str::to_owned);
    let is_allowed = answer.get("allowed").and_then(Value::as_bool) == Some(true);
    let mut words = if is_allowed { "allowed" } else { "denied" }.to_owned();
    match text(answer, "rule") {
        Some(rule) => words += &format!(" by {rule}"),
        None if is_allowed => words += ": no rule limits it",
        None => {}
    }
    if let Some((remaining, limit)) = number(answer, "remaining").zip(number(answer, "limit")) {
        words += &format!(", {remaining} of {limit} left");
    }
    if let Some(wait) = number(answer, "retry_after") {
        words += &format!(", try again in {wait} s");
    }
    if let Some(band) = text(answer, "band").filter(|_| is_allowed) {
        words += &format!(" ({band})");
    }
    if let Some(message) = text(answer, "message") {
        words += &format!("\n{message}");
    }
    let limits = answer.get("limits").and_then(Value::as_array);
    for limit in limits.into_iter().flatten() {
        let window = limit.get("window_s").map(ToString::to_string);
        let line = text(limit, "rule")
            .zip(window)
            .zip(number(limit, "remaining").zip(number(limit, "limit")));
        if let Some(((rule, window), (remaining, amount))) = line {
            words += &format!("\n  {rule}: {remaining} of {amount} left in {window} s");
        }
    }
    if let Some((revision, id)) = number(answer, "revision").zip(text(answer, "decision_id")) {
        words += &format!("\nrevision {revision}, decision {id}");
    }
    words
}
