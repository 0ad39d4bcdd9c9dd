//! `tollgate overrides remove`

use serde_json::json;
use tollgate_catalog::{Catalog, Goal, OverrideId};

use super::set::id;
use crate::{
    database::Database,
    outcome::Outcome,
    rules::counted,
    say::Format,
    wait::{self, Wait},
    who::Who,
};

/// End overrides at once
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 removed; 1 an error, an id that is not there, or a node that \
    did not confirm in time."
)]
pub(crate) struct Remove {
    /// Their ids, as `overrides list` shows them
    #[arg(required = true)]
    ids: Vec<u64>,
    #[command(flatten)]
    who: Who,
    #[command(flatten)]
    wait: Wait,
    #[command(flatten)]
    database: Database,
}

impl Remove {
    pub(super) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let ids: anyhow::Result<Vec<OverrideId>> = self.ids.iter().copied().map(id).collect();
        let ids = ids?;
        self.database.look(async |catalog: Catalog| {
            let written = catalog.remove_overrides(&ids, &self.who.author()).await?;
            let goal = Goal::Overrides(written.seq);
            let confirmation = self.wait.confirm(&catalog, goal).await?;
            let nodes = confirmation.as_ref();
            let removed: Vec<u64> = written.ids.iter().map(|id| id.get()).collect();
            let given = ids.iter().map(|id| id.get());
            let absent: Vec<u64> = given.filter(|id| !removed.contains(id)).collect();
            format.say(
                || {
                    let absent = match absent.as_slice() {
                        [] => String::new(),
                        absent => format!("; not there: {}", listed(absent)),
                    };
                    let count = counted(removed.len(), "override");
                    format!("removed {count}{}{absent}", wait::and_where(nodes))
                },
                || {
                    json!({
                        "removed": removed,
                        "absent": absent,
                        "sequence": written.seq.get(),
                        "nodes": wait::as_json(nodes),
                    })
                },
            )?;
            Ok(match absent.as_slice() {
                [] => wait::outcome(nodes),
                _ => Outcome::Wrong,
            })
        })
    }
}

fn listed(ids: &[u64]) -> String {
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    ids.join(", ")
}
