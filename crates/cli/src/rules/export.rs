//! `tollgate rules export`

use serde_json::{Value, json};
use tollgate_catalog::Catalog;
use tollgate_rules::document;

use super::number;
use crate::{database::Database, outcome::Outcome, say::Format};

/// Print a revision as a rules file
#[derive(Debug, clap::Args)]
#[command(after_help = "Tests and comments are not kept in the database: they stay in your file.")]
pub(crate) struct Export {
    /// The number of a revision, instead of the newest
    revision: Option<u64>,
    #[command(flatten)]
    database: Database,
}

impl Export {
    pub(super) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        self.database.look(async |catalog: Catalog| {
            let revision = match self.revision {
                Some(wanted) => catalog.load(number(wanted)?).await?,
                None => catalog.latest().await?,
            };
            let set = &revision.set;
            format.say(
                || document::write_yaml(set),
                || {
                    let rules = set.rules.values().map(|rule| document::rule_json(rule));
                    let tiers = set.tiers.values().map(document::tier_json);
                    let overrides = set.overrides.iter().map(document::override_json);
                    json!({
                        "revision": revision.number.get(),
                        "hash": revision.hash.to_string(),
                        "default_tier": set.default_tier.as_str(),
                        "tiers": tiers.collect::<Vec<Value>>(),
                        "rules": rules.collect::<Vec<Value>>(),
                        "overrides": overrides.collect::<Vec<Value>>(),
                    })
                },
            )?;
            Ok(Outcome::Fine)
        })
    }
}
