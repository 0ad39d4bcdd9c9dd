//! `tollgate rules fmt`

use std::path::PathBuf;

use anyhow::Context as _;
use serde_json::json;
use tollgate_rules::document;

use crate::{
    file::{File, is_stdin},
    outcome::Outcome,
    say::{Format, print},
};

/// Lay files out in the one canonical way; comments stay
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 formatted; 1 an error, and that file is as it was; 2 with \
    --check, a file is not in the canonical layout.")]
pub(crate) struct Fmt {
    /// Rules files, rewritten in place; - formats the standard input to the standard output
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Only say which files would change, and exit with 2 if any
    #[arg(long)]
    check: bool,
}

impl Fmt {
    pub(super) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let mut changed = Vec::new();
        let mut printed = None;
        for path in &self.files {
            let file = File::read(path)?;
            let formatted = document::format(&file.text)
                .with_context(|| format!("cannot format {}", file.name()))?;
            let is_same = formatted == file.text;
            if !self.check && is_stdin(path) {
                printed = Some(formatted);
            } else if !self.check && !is_same {
                file.replace(&formatted)?;
            }
            if !is_same {
                changed.push(file.name());
            }
        }
        let verb = if self.check { "would change" } else { "formatted" };
        match (format, &printed) {
            // A file, not words about one: it is printed as it is.
            (Format::Text, Some(printed)) => print(printed)?,
            _ => format.say(
                || {
                    let lines = changed.iter().map(|name| format!("{verb} {name}\n"));
                    lines.collect()
                },
                || json!({ "changed": changed, "text": printed }),
            )?,
        }
        let is_different = self.check && !changed.is_empty();
        Ok(if is_different { Outcome::Different } else { Outcome::Fine })
    }
}
