//! `tollgate rules apply`

use std::{path::PathBuf, sync::Arc};

use serde_json::json;
use tollgate_catalog::{
    Base, Catalog, CatalogError, Confirmation, Conflict, Goal, RevisionHash, RevisionNumber,
    Written,
};
use tollgate_rules::{Diff, RuleSet, diff};

use super::{
    changes, differences, number,
    stranded::{stranded, warn},
};
use crate::{
    database::Database,
    file::File,
    outcome::{Failure, Outcome},
    say::Format,
    wait::{self, Wait},
    who::Who,
};

/// Put a file in force as a new revision
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 applied, or nothing to change; 1 an error, or a node that \
    did not confirm in time; 2 with --dry-run, something would change.

Examples:
  tollgate rules apply rules.yaml --reason 'credential stuffing'
  tollgate rules apply rules.yaml --base 12 --wait 10")]
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
        if self.dry_run {
            return self.rehearse(&set, format);
        }
        self.database.with(async |catalog: Catalog| {
            let live = catalog.latest().await?;
            let diff = changes(&live.set, &set);
            // What the file was compared with is what it replaces: nobody's change is lost.
            let base = self.base.map_or(Ok(live.number), number)?;
            let author = self.who.author();
            let written = catalog.apply(&set, Base::Revision(base), author).await;
            let done = Done::of(written)?;
            let stranded = stranded(&catalog, &live.set, &set).await?;
            warn(format, &stranded);
            let goal = Goal::Revision(done.revision);
            let confirmation = self.wait.confirm(&catalog, goal).await?;
            done.tell(format, &diff, &stranded, confirmation.as_ref())?;
            Ok(wait::outcome(confirmation.as_ref()))
        })
    }

    /// Says what would change. A database that is not there yet holds nothing, and is not made.
    fn rehearse(&self, set: &RuleSet, format: Format) -> anyhow::Result<Outcome> {
        let (number, live, stranded) = if self.database.is_there()? {
            self.database.with(async |catalog: Catalog| {
                let live = catalog.latest().await?;
                let stranded = stranded(&catalog, &live.set, set).await?;
                Ok((live.number, Arc::clone(&live.set), stranded))
            })?
        } else {
            (RevisionNumber::ZERO, Arc::default(), Vec::new())
        };
        warn(format, &stranded);
        let diff = changes(&live, set);
        format.say(
            || match diff.is_empty() {
                true => format!("nothing would change: revision {number} holds it already"),
                false => diff.to_string(),
            },
            || {
                json!({
                    "revision": number.get(),
                    "changed": !diff.is_empty(),
                    "differences": differences(&diff),
                    "stranded_overrides": stranded,
                })
            },
        )?;
        Ok(if diff.is_empty() { Outcome::Fine } else { Outcome::Different })
    }
}

/// What is in force now.
struct Done {
    revision: RevisionNumber,
    hash: RevisionHash,
    is_new: bool,
}

impl Done {
    /// A conflict with somebody who wrote the very same is none.
    fn of(written: Result<Written, CatalogError>) -> anyhow::Result<Self> {
        match written {
            Ok(written) => Ok(Self {
                revision: written.revision,
                hash: written.hash,
                is_new: written.changed > 0,
            }),
            Err(CatalogError::Conflict(conflict)) => {
                let difference = diff(&conflict.head.set, &conflict.ours);
                if !difference.is_empty() {
                    return Err(explained(&conflict, &difference).into());
                }
                Ok(Self { revision: conflict.head.number, hash: conflict.head.hash, is_new: false })
            }
            Err(error) => Err(error.into()),
        }
    }

    fn tell(
        &self,
        format: Format,
        diff: &Diff,
        stranded: &[String],
        confirmation: Option<&Confirmation>,
    ) -> anyhow::Result<()> {
        let revision = self.revision;
        format.say(
            || {
                let nodes = wait::and_where(confirmation);
                if !self.is_new {
                    return format!("nothing changed: revision {revision} holds it already{nodes}");
                }
                let diff = diff.to_string();
                format!("{}\n\nrevision {revision}{nodes}", diff.trim_end())
            },
            || {
                json!({
                    "revision": revision.get(),
                    "hash": self.hash.to_string(),
                    "changed": self.is_new,
                    "differences": differences(diff),
                    "stranded_overrides": stranded,
                    "nodes": wait::as_json(confirmation),
                })
            },
        )
    }
}

/// A conflict comes with what is there now beside what was to be written.
fn explained(conflict: &Conflict, difference: &Diff) -> Failure {
    let newest = conflict.head.number;
    let author = match &conflict.author {
        Some(author) => format!(", by {author}"),
        None => String::new(),
    };
    let words = format!(
        "nothing was applied: revision {newest} is the newest{author}, so the file may undo what \
         it changed\n\nfrom revision {newest} to the file:\n{}\n\nif that is what you want: \
         --base {newest}",
        difference.to_string().trim_end()
    );
    let failure = Failure::new(words).with("revision", json!(newest.get()));
    failure.with("differences", differences(difference))
}
