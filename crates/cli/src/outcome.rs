//! How a command ended, as programs see it.

use std::{fmt, process::ExitCode};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use serde_json::{Map, Value, json};
use tollgate_rules::nearest;

use crate::say::{Format, print_json, remark};

/// What the exit code says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// 0: as asked.
    Fine,
    /// 1: not done, or not right.
    Wrong,
    /// 2: right, but not the same.
    Different,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Fine => Self::SUCCESS,
            Outcome::Wrong => Self::from(1),
            Outcome::Different => Self::from(2),
        }
    }
}

/// An error with more for programs than its words: fields that stand beside `error` in the JSON.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) words: String,
    pub(crate) fields: Map<String, Value>,
}

impl Failure {
    pub(crate) fn new(words: impl Into<String>) -> Self {
        Self { words: words.into(), fields: Map::new() }
    }

    pub(crate) fn with(mut self, field: &str, value: Value) -> Self {
        self.fields.insert(field.to_owned(), value);
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl std::error::Error for Failure {}

/// Tells what went wrong, with its causes.
pub(crate) fn of_error(error: &anyhow::Error, format: Format) -> Outcome {
    match format {
        Format::Text => remark(&format!("error: {}", in_words(error))),
        Format::Json => {
            let failure = error.downcast_ref::<Failure>();
            let mut fields = failure.map_or_else(Map::new, |failure| failure.fields.clone());
            fields.insert("error".to_owned(), json!(in_words(error)));
            tell(&Value::Object(fields));
        }
    }
    Outcome::Wrong
}

/// The error and what caused it; a cause that is in the words already is not repeated.
fn in_words(error: &anyhow::Error) -> String {
    let mut words = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if words.is_empty() {
            words = cause;
        } else if !words.contains(&cause) {
            words += &format!(": {cause}");
        }
    }
    words
}

/// A command that was not understood is an error, 1: 2 is for differences.
pub(crate) fn of_usage(usage: clap::Error, format: Format) -> ExitCode {
    let usage = with_listeners(usage);
    let outcome = if usage.use_stderr() { Outcome::Wrong } else { Outcome::Fine };
    match (format, outcome) {
        (Format::Json, Outcome::Wrong) => tell(&json!({ "error": usage_in_words(&usage) })),
        // Nothing is left to tell anybody if the terminal is gone.
        _ => drop(usage.print()),
    }
    outcome.into()
}

/// A server has four listeners, so `--port`, `--listen` and the like name none of them. The letters of such a flag lead
/// to a setting that has nothing to do with it.
fn with_listeners(mut usage: clap::Error) -> clap::Error {
    let Some(ContextValue::String(given)) = usage.get(ContextKind::InvalidArg) else {
        return usage;
    };
    let given = given.trim_start_matches('-');
    let is_of_serve = match usage.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(text)) => text.to_string().contains("tollgate serve"),
        _ => false,
    };
    let names = ["port", "listen", "bind", "host", "address"];
    if !is_of_serve || nearest(given, names).is_none() {
        return usage;
    }
    let words = "each listener has a flag: --http, --grpc, --resp and --admin take HOST:PORT";
    let tip = ContextValue::StyledStrs(vec![words.into()]);
    // The usage is that of the flag that was suggested.
    let whole = ContextValue::StyledStr("Usage: tollgate serve [OPTIONS]".into());
    usage.insert(ContextKind::Usage, whole);
    usage.remove(ContextKind::SuggestedArg);
    usage.insert(ContextKind::Suggested, tip);
    usage
}

/// What is wrong, without the usage that follows it on a terminal.
fn usage_in_words(usage: &clap::Error) -> String {
    if usage.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "a command is missing: see tollgate --help".to_owned();
    }
    let text = usage.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let end = text.find("\n\nUsage:").or(text.find("\n\nFor more"));
    let text = end.and_then(|end| text.get(..end)).unwrap_or(text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn tell(json: &Value) {
    // The exit code says that it failed even if nobody reads why.
    drop(print_json(&format!("{json:#}\n")));
}

#[cfg(test)]
mod tests {
    use anyhow::Context as _;

    #[test]
    fn no_cause_is_told_twice() {
        let error = std::io::Error::other("no such file");
        let error = anyhow::Error::new(error).context("cannot open: no such file");
        let error: anyhow::Result<()> = Err(error);
        let error = error.context("cannot read").unwrap_err();
        let words = super::in_words(&error);
        assert_eq!(words, "cannot read: cannot open: no such file");
    }
}
