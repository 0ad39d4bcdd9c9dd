//! Reading entries.

use std::sync::Arc;

use super::{EntryKind, StoredEntry, row};
use crate::{
    Catalog, CatalogError, OverrideSeq,
    catalog::blocking,
    sql::{Row, Session, Wanted, values},
};

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
        let mut wanted = Wanted::default();
        wanted.equal("kind", Some(listing.kind.word()));
        wanted.only("removed_at IS NULL".to_owned());
        wanted.equal("user_name", listing.user.as_deref());
        wanted.equal("org", listing.org.as_deref());
        if let Some(after) = &listing.after {
            let (seq, id) = (wanted.bind(after.seq), wanted.bind(&*after.id));
            wanted.only(format!("(seq, id) > ({seq}, {id})"));
        }
        let count = listing.count.min(ENTRIES_PAGE_MAX);
        let (sql, values) = wanted.query(SELECT, &format!("ORDER BY seq, id LIMIT {count}"));
        let rows = self.database.read(async |session| session.rows(sql, values).await);
        let rows = rows.await?;
        blocking(move || rows.iter().map(read).collect()).await
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
        let found = self.database.read(async |session| find(session, kind, id).await);
        let found = found.await?.map(|row| read(&row)).transpose()?;
        Ok(found.filter(|entry| !entry.is_gone))
    }
}

pub(super) const SELECT: &str = "SELECT kind, id, seq, body, removed_at, created_at, created_by, \
    changed_at, changed_by FROM entries";

/// The row of an entry, also if it was taken away.
pub(super) async fn find(
    session: &mut Session,
    kind: EntryKind,
    id: &str,
) -> Result<Option<Row>, CatalogError> {
    let sql = format!("{SELECT} WHERE kind = $1 AND id = $2");
    session.row(sql, values![kind.word(), id]).await
}

pub(super) fn read(row: &Row) -> Result<StoredEntry, CatalogError> {
    let unreadable = |why: String| CatalogError::UnreadableEntry {
        kind: row.text(0).unwrap_or_default().to_owned(),
        id: row.text(1).unwrap_or_default().to_owned(),
        why,
    };
    let kind: Result<EntryKind, _> = row.text(0)?.parse();
    let kind = kind.map_err(|_| unreadable("a kind that it does not know".to_owned()))?;
    Ok(StoredEntry {
        id: row.text(1)?.into(),
        body: row::from_text(kind, row.text(3)?).map_err(unreadable)?,
        seq: OverrideSeq::from_row(row.int(2)?)?,
        created: (row.moment(5)?, row.text(6)?.into()),
        changed: (row.moment(7)?, row.text(8)?.into()),
        is_gone: row.maybe_int(4)?.is_some(),
    })
}
