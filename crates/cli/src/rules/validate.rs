//! `tollgate rules validate`

use std::{collections::BTreeMap, path::PathBuf};

use serde_json::{Value, json};
use tollgate_rules::{Name, RuleSet, Tier, document::Report};

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
            let reading = File::read(path)?.reading();
            let note = reading.document.and_then(|document| ranks(&document.rules));
            reports.push((reading.report, note));
        }
        let is_wrong = reports
            .iter()
            .any(|(report, _)| report.has_errors() || (self.deny_warnings && report.warnings > 0));
        format.say(
            || reports.iter().map(in_words).collect(),
            || json!({ "files": reports.iter().map(as_json).collect::<Vec<Value>>() }),
        )?;
        Ok(if is_wrong { Outcome::Wrong } else { Outcome::Fine })
    }
}

/// What a file says that has no effect yet. No warning: nothing is wrong with it.
fn ranks(rules: &RuleSet) -> Option<String> {
    let built_in = Tier::built_in().into_iter();
    let built_in: BTreeMap<Name, Tier> = built_in.map(|tier| (tier.name.clone(), tier)).collect();
    let tiers = rules.tiers.values().filter(|tier| tier.rank > 0);
    let names: Vec<&str> = tiers.map(|tier| tier.name.as_str()).collect();
    let is_stated = rules.tiers != built_in && !names.is_empty();
    is_stated.then(|| format!("nothing uses the rank of a tier yet ({})", names.join(", ")))
}

fn in_words((report, note): &(Report, Option<String>)) -> String {
    let note = note.as_ref().map(|note| format!("note: {note}\n"));
    counted_in_words(report) + &note.unwrap_or_default()
}

fn counted_in_words(report: &Report) -> String {
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

fn as_json((report, note): &(Report, Option<String>)) -> Value {
    json!({
        "file": &*report.source,
        "errors": report.errors,
        "warnings": report.warnings,
        "problems": problems::as_json(report),
        "note": note,
    })
}
