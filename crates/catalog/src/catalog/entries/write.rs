//! Putting entries, and taking them away.

use super::{EntryAt, EntryBody, EntryKind, EntryWritten};
use crate::{Author, Catalog, CatalogError};

impl Catalog {
    /// Puts an entry. The audit says who did it, why, and what was there before.
    ///
    /// # Errors
    ///
    /// [`CatalogError::UnknownEntry`] and [`CatalogError::EntryChanged`] if it is not there, or not as the editor saw
    /// it; otherwise if the database fails; [`CatalogError::Undecided`] if its last answer was lost.
    pub async fn put_entry(
        &self,
        at: EntryAt,
        body: EntryBody,
        author: &Author,
    ) -> Result<EntryWritten, CatalogError> {
        drop((at, body, author));
        Err(CatalogError::Corrupt(
            "entries are not written yet".to_owned(),
        ))
    }

    /// Puts many new entries: all or none. At most 10,000 at once.
    ///
    /// # Errors
    ///
    /// As for [`Catalog::put_entry`].
    pub async fn put_entries(
        &self,
        bodies: Vec<EntryBody>,
        author: &Author,
    ) -> Result<Vec<EntryWritten>, CatalogError> {
        drop((bodies, author));
        Err(CatalogError::Corrupt(
            "entries are not written yet".to_owned(),
        ))
    }

    /// Takes an entry away; none if there is none.
    ///
    /// # Errors
    ///
    /// As for [`Catalog::put_entry`].
    pub async fn remove_entry(
        &self,
        kind: EntryKind,
        id: &str,
        author: &Author,
    ) -> Result<Option<EntryWritten>, CatalogError> {
        let _: (EntryKind, &str, &Author) = (kind, id, author);
        Err(CatalogError::Corrupt(
            "entries are not written yet".to_owned(),
        ))
    }
}
