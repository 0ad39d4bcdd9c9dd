//! `tollgate overrides remove`

use anyhow::bail;
use serde_json::json;
use tollgate_catalog::{Catalog, Goal, OverrideId};

use crate::{
    database::{Database, Wait, Who, confirmed_as_json, confirmed_in_words},
    outcome::Outcome,
    rules::counted,
    say::Format,
};

/// End overrides at once
#[derive(Debug, clap::Args)]
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
        let mut ids = Vec::new();
        for id in &self.ids {
            match OverrideId::new(*id) {
                Some(id) => ids.push(id),
                None => bail!("{id} is not the id of an override"),
            }
        }
        self.database.with(async |catalog: Catalog| {
            let written = catalog.remove_overrides(&ids, &self.who.author()).await?;
            let confirmation = self
                .wait
                .confirm(&catalog, Goal::Overrides(written.seq))
                .await?;
            let removed = written.ids.len();
            let absent: Vec<u64> = ids
                .iter()
                .filter(|id| !written.ids.contains(id))
                .map(|id| id.get())
                .collect();
            format.say(
                || {
                    let nodes = confirmation.as_ref().map(confirmed_in_words);
                    let nodes = nodes.map_or(String::new(), |nodes| format!(", {nodes}"));
                    let absent = match absent.as_slice() {
                        [] => String::new(),
                        absent => format!("; not there: {absent:?}"),
                    };
                    format!("removed {}{nodes}{absent}", counted(removed, "override"))
                },
                || {
                    json!({
                        "removed": written.ids.iter().map(|id| id.get()).collect::<Vec<u64>>(),
                        "absent": absent,
                        "nodes": confirmed_as_json(confirmation.as_ref()),
                    })
                },
            );
            let is_done = absent.is_empty() && confirmation.is_none_or(|nodes| nodes.is_complete());
            Ok(if is_done {
                Outcome::Fine
            } else {
                Outcome::Wrong
            })
        })
    }
}
