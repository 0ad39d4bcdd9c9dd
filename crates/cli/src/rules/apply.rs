//! `tollgate rules apply`

use std::{path::PathBuf, sync::Arc};

use serde_json::json;
use tollgate_catalog::{Base, Catalog, CatalogError, Confirmation, Goal, RevisionNumber, Written};
use tollgate_rules::{Diff, RuleSet, diff};

use super::number;
use crate::{
    database::{Database, Wait, Who, confirmed_as_json, confirmed_in_words},
    file::File,
    outcome::Outcome,
    say::Format,
};

/// Put a file in force as a new revision
#[derive(Debug, clap::Args)]
pub(crate) struct Apply {
    /// The rules file; - is the standard input
    file: PathBuf,
    /// Only if this revision is still the newest
    #[arg(long, value_name = "REVISION")]
    base: Option<u64>,
    /// Say what would change, write nothing, and exit with 2 if anything would
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    who: Who,
    #[command(flatten)]
    wait: Wait,
    #[command(flatten)]
    database: Database,
}

impl Apply {
    pub(super) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let set = Arc::new(File::read(&self.file)?.document(format)?.rules);
        self.database.with(async |catalog: Catalog| {
            let live = catalog.latest().await?;
            let diff = diff(&live.set, &set);
            if self.dry_run {
                format.say(
                    || match diff.is_empty() {
                        true => format!(
                            "nothing would change: revision {} holds it already",
                            live.number
                        ),
                        false => diff.to_string(),
                    },
                    || json!({ "revision": live.number.get(), "differences": diff.to_json() }),
                );
                return Ok(if diff.is_empty() {
                    Outcome::Fine
                } else {
                    Outcome::Different
                });
            }
            let written = catalog
                .apply(&set, self.base(live.number)?, self.who.author())
                .await;
            let written = written.map_err(|error| explained(error, &set))?;
            let goal = Goal::Revision(written.revision);
            let confirmation = self.wait.confirm(&catalog, goal).await?;
            tell(format, &diff, written, confirmation.as_ref());
            let is_everywhere = confirmation.is_none_or(|nodes| nodes.is_complete());
            Ok(if is_everywhere {
                Outcome::Fine
            } else {
                Outcome::Wrong
            })
        })
    }

    /// What the file was compared with is what it replaces: nobody's change in between is lost.
    fn base(&self, live: RevisionNumber) -> anyhow::Result<Base> {
        let base = self.base.map_or(Ok(live), number)?;
        Ok(Base::Revision(base))
    }
}

/// A conflict comes with what is there now beside what was to be written.
pub(super) fn explained(error: CatalogError, ours: &RuleSet) -> anyhow::Error {
    match &error {
        CatalogError::Conflict(conflict) => {
            let difference = diff(&conflict.head.set, ours);
            let message = format!(
                "{conflict}\n\nfrom revision {} to yours:\n{difference}",
                conflict.head.number
            );
            anyhow::anyhow!(message.trim_end().to_owned())
        }
        _ => error.into(),
    }
}

fn tell(format: Format, diff: &Diff, written: Written, confirmation: Option<&Confirmation>) {
    let revision = written.revision;
    format.say(
        || {
            if written.changed == 0 {
                return format!("nothing changed: revision {revision} holds it already");
            }
            let mut text = format!("{}\n\nrevision {revision}", diff.to_string().trim_end());
            if let Some(confirmation) = confirmation {
                text += &format!(", {}", confirmed_in_words(confirmation));
            }
            text
        },
        || {
            json!({
                "revision": revision.get(),
                "hash": written.hash.to_string(),
                "changed": written.changed > 0,
                "differences": diff.to_json(),
                "nodes": confirmed_as_json(confirmation),
            })
        },
    );
}
