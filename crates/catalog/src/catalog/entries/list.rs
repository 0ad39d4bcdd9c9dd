//! Reading entries.

use std::sync::Arc;

use super::{EntryKind, StoredEntry};
use crate::{Catalog, CatalogError, OverrideSeq};

/// The most entries on a page.
pub const ENTRIES_PAGE_MAX: u32 = 10_000;

/// Which entries of a kind are asked for, oldest write first; those that were taken away are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryListing {
    /// Of which kind.
    pub kind: EntryKind,
    /// Only those of this user.
    pub user: Option<Arc<str>>,
    /// Only those of this organisation.
    pub org: Option<Arc<str>>,
    /// Only those after this place.
    pub after: Option<EntryPlace>,
    /// At most this many, at most [`ENTRIES_PAGE_MAX`].
    pub count: u32,
}

/// A place in the order of entries: by their last write, then by id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryPlace {
    /// The last write.
    pub seq: OverrideSeq,
    /// The id.
    pub id: Arc<str>,
}

impl Catalog {
    /// Entries of a kind, a page at a time.
    ///
    /// # Errors
    ///
    /// If one of them cannot be read, or the database has no answer.
    pub async fn entries(&self, listing: &EntryListing) -> Result<Vec<StoredEntry>, CatalogError> {
        let _: &_ = listing;
        Err(CatalogError::Corrupt("entries are not read yet".to_owned()))
    }

    /// One entry; none if it is not known, or was taken away.
    ///
    /// # Errors
    ///
    /// As for [`Catalog::entries`].
    pub async fn entry(
        &self,
        kind: EntryKind,
        id: &str,
    ) -> Result<Option<StoredEntry>, CatalogError> {
        let _: (EntryKind, &str) = (kind, id);
        Err(CatalogError::Corrupt("entries are not read yet".to_owned()))
    }
}
