//! `tollgate rules diff`

use serde_json::json;
use tollgate_rules::diff;

use super::{changes, differences, side::Side};
use crate::{database::Database, outcome::Outcome, say::Format};

/// Say what changes in meaning, and what becomes of the counters
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 no difference, 1 an error, 2 differences.

Examples:
  tollgate rules diff rules.yaml           what applying the file would change
  tollgate rules diff 12                   what going back to revision 12 would change
  tollgate rules diff 12 live              what changed since revision 12
  tollgate rules diff old.yaml new.yaml    two files, no database")]
pub(crate) struct Diff {
    /// A file, the number of a revision, or `live`; alone, it is compared with what is live
    from: Side,
    /// What it becomes
    to: Option<Side>,
    #[command(flatten)]
    database: Database,
}

impl Diff {
    pub(super) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let (from, to) = match &self.to {
            Some(to) => (&self.from, to),
            None => (&Side::Live, &self.from),
        };
        let (before, from) = from.load(&self.database, format)?;
        let is_file = matches!(to, Side::File(_));
        let (after, to) = to.load(&self.database, format)?;
        let diff = match is_file {
            true => changes(&before, &after),
            false => diff(&before, &after),
        };
        format.say(
            || match diff.is_empty() {
                true => format!("no difference between {from} and {to}"),
                false => diff.to_string(),
            },
            || json!({ "from": from, "to": to, "differences": differences(&diff) }),
        )?;
        Ok(if diff.is_empty() { Outcome::Fine } else { Outcome::Different })
    }
}
