//! What happened so far.

use std::{collections::BTreeMap, sync::Arc};

use super::{Catalog, store};
use crate::{CatalogError, ItemChange, ItemKind, RevisionInfo, RevisionNumber, item::UnknownKind};

/// The most revisions on a page of the history.
pub const HISTORY_PAGE_MAX: u32 = 1_000;

/// A part of the history, newest first.
///
/// ```
/// use tollgate_catalog::{Page, RevisionNumber};
///
/// let first = Page::newest(50);
/// let next = first.before(RevisionNumber::new(951).unwrap());
/// # let _ = next;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    before: Option<RevisionNumber>,
    count: u32,
}

impl Page {
    /// The newest revisions, at most [`HISTORY_PAGE_MAX`].
    pub fn newest(count: u32) -> Self {
        Self { before: None, count: count.min(HISTORY_PAGE_MAX) }
    }

    /// Those before a revision: the last of the page before.
    #[must_use]
    pub const fn before(mut self, number: RevisionNumber) -> Self {
        self.before = Some(number);
        self
    }
}

impl Catalog {
    /// The revisions, newest first.
    ///
    /// # Errors
    ///
    /// If the database has no answer.
    pub async fn history(&self, page: Page) -> Result<Vec<RevisionInfo>, CatalogError> {
        let before = page.before.or(RevisionNumber::new(i64::MAX.cast_unsigned() - 1));
        let before = before.unwrap_or_default();
        let count = i64::from(page.count);
        self.database.read(async |session| store::history(session, before, count).await).await
    }

    /// How a revision came about.
    ///
    /// # Errors
    ///
    /// If there is no such revision, or the database has no answer.
    pub async fn revision(&self, number: RevisionNumber) -> Result<RevisionInfo, CatalogError> {
        let read = self.database.read(async |session| match store::info(session, number).await? {
            Some(info) => Ok(info),
            None => {
                let head = store::head(session).await?.revision;
                Err(CatalogError::UnknownRevision { wanted: number, head })
            }
        });
        read.await
    }

    /// What a revision changed: each item with what it was before and what it is since. Who did it and
    /// why is in [`Catalog::revision`].
    ///
    /// # Errors
    ///
    /// If there is no such revision, or the database has no answer.
    pub async fn changes(&self, number: RevisionNumber) -> Result<Vec<ItemChange>, CatalogError> {
        self.revision(number).await?;
        let read = async |session: &mut _| store::touched_by(session, number).await;
        let touched = self.database.read(read).await?;
        let mut changes: BTreeMap<(ItemKind, Arc<str>), ItemChange> = BTreeMap::new();
        for [kind, id, name, body, side] in touched {
            let kind = kind.parse().map_err(|unknown: UnknownKind| CatalogError::Unreadable {
                revision: number,
                item: name.clone(),
                why: unknown.to_string(),
            })?;
            let id: Arc<str> = id.into();
            let change = changes.entry((kind, Arc::clone(&id))).or_insert_with(|| ItemChange {
                kind,
                id,
                name: name.as_str().into(),
                before: None,
                after: None,
            });
            if side == "after" {
                change.after = Some(body);
                change.name = name.into();
            } else {
                change.before = Some(body);
            }
        }
        // An override that only moved up or down the file is none.
        let moved = |change: &ItemChange| {
            change.kind == ItemKind::Override && change.before == change.after
        };
        Ok(changes.into_values().filter(|change| !moved(change)).collect())
    }
}
