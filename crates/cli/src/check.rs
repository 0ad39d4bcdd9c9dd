//! `tollgate check`

use serde_json::Value;
use tollgate_core::Reason;

use crate::{
    facts::{Fact, Facts},
    outcome::Outcome,
    running::{self, Credentials, Verb},
    say::Format,
};

/// Ask a running server whether a request may pass
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Fields: user_id, org_id, api_key, token, ip, tier, endpoint, method, region, cost, scope, \
    attributes.NAME. token is a JWT or an API key, read as the server reads that of a client.\n\n\
    Exit codes: 0 allowed; 1 an error; 2 denied."
)]
pub(crate) struct Check {
    /// The facts of the request: user_id=alice endpoint=/api/v1/login method=POST
    #[arg(required = true, value_name = "FIELD=VALUE")]
    facts: Vec<Fact>,
    /// Only look: charge nothing
    #[arg(long)]
    peek: bool,
    /// Where the server answers decisions over HTTP
    #[arg(long, value_name = "ADDRESS", env = "TOLLGATE_HTTP", default_value = "127.0.0.1:7070")]
    http: String,
    /// Where the server has its admin side, which knows why a caller is blocked [default: 127.0.0.1:7080] [env:
    /// TOLLGATE_ADMIN]
    #[arg(long, value_name = "ADDRESS")]
    admin: Option<String>,
    #[command(flatten)]
    credentials: Credentials,
}

impl Check {
    pub(crate) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let facts = Facts::new(&self.facts)?;
        let body = facts.to_check()?;
        let path = if self.peek { "/ratelimit/peek" } else { "/ratelimit/check" };
        let (status, answer) =
            running::ask(Verb::Post(&body), &self.http, path, &self.credentials)?;
        let Some(is_allowed) = answer.get("allowed").and_then(Value::as_bool) else {
            return Err(running::refusal(status, &answer));
        };
        let block = || self.block(&facts, &answer);
        format.say(|| in_words(&answer, block), || answer.clone())?;
        Ok(if is_allowed { Outcome::Fine } else { Outcome::Different })
    }

    /// Which block denies the caller, by the admin side: it is not told to callers.
    fn block(&self, facts: &Facts, answer: &Value) -> Option<String> {
        let is_caller = answer.get("rule").is_none_or(Value::is_null);
        if reason_of(answer) != Some(Reason::Blocked) || !is_caller {
            return None;
        }
        let admin = running::admin(self.admin.as_ref());
        let verb = Verb::Post(&facts.to_json().ok()?);
        let path = "/ratelimit/explain";
        let (_, told) = running::ask(verb, &admin, path, &self.credentials).ok()?;
        let text = |name: &str| told.get("block")?.get(name)?.as_str();
        let field = match text("field")? {
            "ip" => "address",
            "org" => "organisation",
            "api_key" => "API key",
            other => other,
        };
        let why = text("reason").map(|reason| format!(": {reason}"));
        let why = why.unwrap_or_default();
        Some(format!("{field} {} is blocked{why}", text("value")?))
    }
}

fn reason_of(answer: &Value) -> Option<Reason> {
    Reason::from_word(answer.get("reason")?.as_str()?)
}

/// Why it is allowed or denied, where the numbers do not tell.
fn cause(answer: &Value, block: impl FnOnce() -> Option<String>) -> Option<String> {
    let policy = answer.get("fallback").and_then(Value::as_str);
    let policy = policy.unwrap_or("unknown");
    let has_rule = answer.get("rule").is_some_and(Value::is_string);
    match reason_of(answer)? {
        Reason::Fallback => {
            Some(format!("Redis is away, or the counters are too full, on_failure: {policy}"))
        }
        Reason::Doubt => {
            Some(format!("Redis may have lost what was counted, on_failure: {policy}"))
        }
        Reason::Blocked if has_rule => Some("the rule blocks it".to_owned()),
        Reason::Blocked => Some(block().unwrap_or_else(|| {
            "the caller is blocked; `tollgate explain` with the same facts says by which block"
                .to_owned()
        })),
        Reason::Missing => Some("it lacks a fact that the rule counts by".to_owned()),
        Reason::UnknownTier => {
            Some("no rule, tier or API key names its tier, and unknown_tier is refuse".to_owned())
        }
        _ => None,
    }
}

fn in_words(answer: &Value, block: impl FnOnce() -> Option<String>) -> String {
    let number = |of: &Value, name: &str| of.get(name).and_then(Value::as_u64);
    let text = |of: &Value, name: &str| of.get(name).and_then(Value::as_str).map(str::to_owned);
    let is_allowed = answer.get("allowed").and_then(Value::as_bool) == Some(true);
    let mut words = if is_allowed { "allowed" } else { "denied" }.to_owned();
    match text(answer, "rule") {
        Some(rule) => words += &format!(" by {rule}"),
        None if is_allowed => words += ": no rule limits it",
        None => {}
    }
    if let Some(cause) = cause(answer, block) {
        words += &format!(": {cause}");
    }
    let shares = number(answer, "remaining").zip(number(answer, "limit"));
    if let Some((remaining, limit)) = shares.filter(|(_, limit)| *limit > 0) {
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
    words += &limits_in_words(answer);
    if let Some((revision, id)) = number(answer, "revision").zip(text(answer, "decision_id")) {
        words += &format!("\nrevision {revision}, decision {id}");
    }
    words
}

fn limits_in_words(answer: &Value) -> String {
    let number = |of: &Value, name: &str| of.get(name).and_then(Value::as_u64);
    let mut words = String::new();
    let limits = answer.get("limits").and_then(Value::as_array);
    for limit in limits.into_iter().flatten() {
        let window = limit.get("window_s").map(ToString::to_string);
        let rule = limit.get("rule").and_then(Value::as_str);
        let line = rule.zip(window).zip(number(limit, "remaining").zip(number(limit, "limit")));
        if let Some(((rule, window), (remaining, amount))) = line {
            words += &format!("\n  {rule}: {remaining} of {amount} left in {window} s");
        }
    }
    words
}
