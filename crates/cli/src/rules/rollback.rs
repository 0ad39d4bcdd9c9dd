//! `tollgate rules rollback`

use serde_json::json;
use tollgate_catalog::{Catalog, Goal};
use tollgate_rules::diff;

use super::{
    differences, number,
    stranded::{stranded, warn},
};
use crate::{
    database::Database,
    outcome::Outcome,
    say::Format,
    wait::{self, Wait},
    who::Who,
};

/// Make a new revision with the content of an old one
#[derive(Debug, clap::Args)]
#[command(
    after_help = "`tollgate rules diff 12` says what going back to revision 12 would change."
)]
pub(crate) struct Rollback {
    /// The revision to go back to
    revision: u64,
    #[command(flatten)]
    who: Who,
    #[command(flatten)]
    wait: Wait,
    #[command(flatten)]
    database: Database,
}

impl Rollback {
    pub(super) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let to = number(self.revision)?;
        self.database.look(async |catalog: Catalog| {
            let before = catalog.latest().await?;
            let written = catalog.rollback(to, self.who.author()).await?;
            let after = catalog.load(written.revision).await?;
            let diff = diff(&before.set, &after.set);
            let stranded = stranded(&catalog, &before.set, &after.set).await?;
            warn(format, &stranded);
            let goal = Goal::Revision(written.revision);
            let confirmation = self.wait.confirm(&catalog, goal).await?;
            let (revision, nodes) = (written.revision, confirmation.as_ref());
            format.say(
                || {
                    let nodes = wait::and_where(nodes);
                    if written.changed == 0 {
                        return format!(
                            "nothing changed: revision {revision} holds what {to} held{nodes}"
                        );
                    }
                    let diff = diff.to_string();
                    format!(
                        "{}\n\nrevision {revision} with the content of {to}{nodes}",
                        diff.trim_end()
                    )
                },
                || {
                    json!({
                        "revision": revision.get(),
                        "hash": written.hash.to_string(),
                        "back_to": to.get(),
                        "changed": written.changed > 0,
                        "differences": differences(&diff),
                        "stranded_overrides": stranded,
                        "nodes": wait::as_json(nodes),
                    })
                },
            )?;
            Ok(wait::outcome(nodes))
        })
    }
}
