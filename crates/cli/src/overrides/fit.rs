//! Whether an override fits the rules that are in force.

use anyhow::bail;
use serde_json::Value;
use tollgate_rules::{
    Override, RuleSet,
    document::{self, Problem, Severity},
};

/// An override that fits.
#[derive(Debug)]
pub(super) struct Fitted {
    pub(super) what: Override,
    pub(super) warnings: Vec<String>,
}

/// Reads what was typed as if it stood in the file of the rules in force: what would be an error there is
/// one here, and an address means the network that the rule counts by.
pub(super) fn fitted(typed: &Value, live: &RuleSet) -> anyhow::Result<Fitted> {
    let mut set = live.clone();
    set.overrides.clear();
    let file = document::write_yaml(&set);
    let reading = document::read("override", &format!("{file}overrides:\n  - {typed}\n"));
    let line = file.lines().count() + 2;
    let problems = |severity: Severity| -> Vec<String> {
        let problems = reading.report.problems.iter();
        let ours = problems.filter(|problem| problem.place.line == line);
        let ours = ours.filter(|problem| problem.severity == severity);
        ours.map(in_words).collect()
    };
    let what = reading.document.as_ref();
    match what.and_then(|document| document.rules.overrides.first()) {
        Some(what) => Ok(Fitted { what: what.clone(), warnings: problems(Severity::Warning) }),
        None => match problems(Severity::Error) {
            errors if errors.is_empty() => bail!("the rules in force cannot be read back"),
            errors => bail!("{}", errors.join("; ")),
        },
    }
}

fn in_words(problem: &Problem) -> String {
    match &problem.help {
        Some(help) => format!("{} ({help})", problem.message),
        None => problem.message.clone(),
    }
}
