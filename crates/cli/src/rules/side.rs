//! One side of a comparison: a file, a revision, or what is in force.

use std::{convert::Infallible, path::PathBuf, str::FromStr, sync::Arc};

use tollgate_catalog::{Catalog, RevisionNumber};
use tollgate_rules::RuleSet;

use crate::{
    database::Database,
    file::{File, is_stdin},
    say::Format,
};

/// Where a rule set comes from.
#[derive(Clone, Debug)]
pub(super) enum Side {
    /// The newest revision.
    Live,
    Revision(RevisionNumber),
    File(PathBuf),
}

impl FromStr for Side {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let number = text.parse().ok().and_then(RevisionNumber::new);
        Ok(match (text, number) {
            ("live", _) => Self::Live,
            (_, Some(number)) => Self::Revision(number),
            _ => Self::File(text.into()),
        })
    }
}

impl Side {
    /// The rule set, and what to call it.
    pub(super) fn load(
        &self,
        database: &Database,
        format: Format,
    ) -> anyhow::Result<(Arc<RuleSet>, String)> {
        match self {
            Self::File(path) => {
                let file = match File::read(path) {
                    Err(error) if !path.exists() && !is_stdin(path) => {
                        return Err(error.context(format!(
                            "{} is neither a file, nor the number of a revision, nor `live`",
                            path.display()
                        )));
                    }
                    file => file?,
                };
                Ok((Arc::new(file.document(format)?.rules), file.name()))
            }
            Self::Live => database.look(async |catalog: Catalog| {
                let revision = catalog.latest().await?;
                Ok((Arc::clone(&revision.set), format!("revision {}", revision.number)))
            }),
            Self::Revision(number) => database.look(async |catalog: Catalog| {
                let revision = catalog.load(*number).await?;
                Ok((Arc::clone(&revision.set), format!("revision {number}")))
            }),
        }
    }
}
