//! What is wrong with a rules file, for people and for programs.

use serde_json::{Value, json};
use tollgate_rules::document::{Problem, Report, Severity};

/// Every problem with its place; how many there are is for the caller to say.
pub(crate) fn in_words(report: &Report) -> String {
    let text = report.to_string();
    let text = text.trim_end();
    let end = text.rfind('\n').unwrap_or_default();
    text.get(..end).unwrap_or_default().trim_end().to_owned()
}

pub(crate) fn as_json(report: &Report) -> Value {
    report.problems.iter().map(problem).collect()
}

fn problem(problem: &Problem) -> Value {
    let severity = match problem.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    json!({
        "severity": severity,
        "line": problem.place.line,
        "column": problem.place.column,
        "length": problem.place.length,
        "message": problem.message,
        "help": problem.help,
        "note": problem.note,
    })
}
