//! `tollgate rules validate`

use std::path::PathBuf;

use serde_json::{Value, json};
use tollgate_rules::document::Report;

use super::counted;
use crate::{file::File, outcome::Outcome, problems, say::Format};

/// Check files: every error and warning, with line, column and fix
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 no error, 1 an error; with --deny-warnings also a warning.")]
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
            || json!({ "files": reports.iter().map(as_json).collect::<Vec<Value>>() }),
        )?;
        Ok(if is_wrong {
            Outcome::Wrong
        } else {
            Outcome::Fine
        })
    }
}

fn in_words(report: &Report) -> String {
    let counts = match (report.errors, report.warnings) {
        (0, 0) => return format!("{}: ok\n", report.source),
        (0, warnings) => format!("ok, {}", counted(warnings, "warning")),
        (errors, 0) => counted(errors, "error"),
        (errors, warnings) => {
            let (errors, warnings) = (counted(errors, "error"), counted(warnings, "warning"));
            format!("{errors}, {warnings}")
        }
    };
    let problems = problems::in_words(report);
    format!("{problems}\n\n{}: {counts}\n", report.source)
}

fn as_json(report: &Report) -> Value {
    json!({
        "file": &*report.source,
        "errors": report.errors,
        "warnings": report.warnings,
        "problems": problems::as_json(report),
    })
}
