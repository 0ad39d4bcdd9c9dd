//! `tollgate rules validate`

use std::path::PathBuf;

use serde_json::{Value, json};
use tollgate_rules::document::{Problem, Report, Severity};

use super::counted;
use crate::{file::File, outcome::Outcome, say::Format};

/// Check files: every error and warning, with line, column and fix
#[derive(Debug, clap::Args)]
pub(crate) struct Validate {
    /// Rules files; - is the standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Warnings are errors
    #[arg(long)]
    deny_warnings: bool,
}

impl Validate {
    pub(super) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let mut reports = Vec::new();
        for path in &self.files {
            reports.push(File::read(path)?.reading().report);
        }
        let is_wrong = reports
            .iter()
            .any(|report| report.has_errors() || (self.deny_warnings && report.warnings > 0));
        format.say(
            || reports.iter().map(in_words).collect(),
            || reports.iter().map(as_json).collect(),
        );
        Ok(if is_wrong {
            Outcome::Wrong
        } else {
            Outcome::Fine
        })
    }
}

fn in_words(report: &Report) -> String {
    if report.is_clean() {
        return format!("{}: ok\n", report.source);
    }
    let counts = match (report.errors, report.warnings) {
        (0, warnings) => format!("ok, {}", counted(warnings, "warning")),
        (errors, 0) => counted(errors, "error"),
        (errors, warnings) => {
            format!(
                "{}, {}",
                counted(errors, "error"),
                counted(warnings, "warning")
            )
        }
    };
    format!("{report}\n{}: {counts}\n", report.source)
}

fn as_json(report: &Report) -> Value {
    json!({
        "file": &*report.source,
        "errors": report.errors,
        "warnings": report.warnings,
        "problems": report.problems.iter().map(problem).collect::<Vec<Value>>(),
    })
}

fn problem(problem: &Problem) -> Value {
    let severity = match problem.severity {
        Severity::Error => "error",
        _ => "warning",
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
