//! What a write would do.

use std::sync::Arc;

use tollgate_rules::RuleSet;

use super::{Catalog, Edit, load::blocking, plan};
use crate::{CatalogError, Revision, codec};

/// What an edit would do.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Preview {
    /// What is there.
    pub head: Arc<Revision>,
    /// What would be there.
    pub set: RuleSet,
}

impl Catalog {
    /// What an edit would make of the newest revision. Everything is checked as if it were written, and
    /// nothing is.
    ///
    /// # Errors
    ///
    /// As for [`Catalog::edit`].
    pub async fn preview(&self, edit: Edit) -> Result<Preview, CatalogError> {
        let head = self.latest().await?;
        blocking(move || {
            let mut set = plan::edited(&head, &edit)?;
            plan::part_ids(&head, &mut set);
            codec::review(&set)?;
            Ok(Preview { head, set })
        })
        .await
    }
}
