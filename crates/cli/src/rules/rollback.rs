//! `tollgate rules rollback`

use serde_json::json;
use tollgate_catalog::{Catalog, Goal};
use tollgate_rules::diff;

use super::number;
use crate::{
    database::{Database, Wait, Who, confirmed_as_json, confirmed_in_words},
    outcome::Outcome,
    say::Format,
};

/// Make a new revision with the content of an old one
#[derive(Debug, clap::Args)]
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
        self.database.with(async |catalog: Catalog| {
            let before = catalog.latest().await?;
            let written = catalog.rollback(to, self.who.author()).await?;
            let after = catalog.load(written.revision).await?;
            let diff = diff(&before.set, &after.set);
            let goal = Goal::Revision(written.revision);
            let confirmation = self.wait.confirm(&catalog, goal).await?;
            format.say(
                || {
                    if written.changed == 0 {
                        let revision = written.revision;
                        return format!(
                            "nothing changed: revision {revision} holds what {to} held"
                        );
                    }
                    let nodes = confirmation.as_ref().map(confirmed_in_words);
                    let nodes = nodes.map_or(String::new(), |nodes| format!(", {nodes}"));
                    let text = diff.to_string();
                    format!(
                        "{}\n\nrevision {} with the content of {to}{nodes}",
                        text.trim_end(),
                        written.revision
                    )
                },
                || {
                    json!({
                        "revision": written.revision.get(),
                        "back_to": to.get(),
                        "changed": written.changed > 0,
                        "differences": diff.to_json(),
                        "nodes": confirmed_as_json(confirmation.as_ref()),
                    })
                },
            );
            let is_everywhere = confirmation.is_none_or(|nodes| nodes.is_complete());
            Ok(if is_everywhere {
                Outcome::Fine
            } else {
                Outcome::Wrong
            })
        })
    }
}
