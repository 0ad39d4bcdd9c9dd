//! `tollgate rules fmt`

use std::path::PathBuf;

use anyhow::Context as _;
use serde_json::{Value, json};
use tollgate_rules::document;

use crate::{
    file::{File, is_stdin},
    outcome::Outcome,
    say::Format,
};

/// Lay files out in the one canonical way; comments stay
#[derive(Debug, clap::Args)]
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
        for path in &self.files {
            let file = File::read(path)?;
            let formatted = document::format(&file.text)
                .with_context(|| format!("cannot format {}", file.name()))?;
            if is_stdin(path) && !self.check {
                print!("{formatted}");
                continue;
            }
            if formatted != file.text {
                if !self.check {
                    file.replace(&formatted)?;
                }
                changed.push(file.name());
            }
        }
        let verb = if self.check {
            "would change"
        } else {
            "formatted"
        };
        format.say(
            || {
                changed
                    .iter()
                    .map(|name| format!("{verb} {name}\n"))
                    .collect()
            },
            || json!({ "changed": changed.iter().map(|name| json!(name)).collect::<Vec<Value>>() }),
        );
        let is_different = self.check && !changed.is_empty();
        Ok(if is_different {
            Outcome::Different
        } else {
            Outcome::Fine
        })
    }
}
