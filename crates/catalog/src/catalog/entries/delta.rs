//! What changed among the entries since a node asked last.

use std::sync::Arc;

use super::{
    ENTRIES_PAGE_MAX, EntryKind, StoredEntry,
    list::{SELECT, read},
};
use crate::{
    Catalog, CatalogError, EntryDelta, OverrideSeq, Scope,
    catalog::blocking,
    sql::{Row, Wanted},
};

/// A walk over the pages of what changed, after the pages of the overrides of the same delta.
#[derive(Clone, Debug)]
pub(crate) struct EntryWalk {
    scope: Scope,
    /// A write whose entries are known.
    above: OverrideSeq,
    /// The last one of the page before.
    after: Option<Place>,
}

type Place = (OverrideSeq, Arc<str>, Arc<str>);

impl EntryWalk {
    /// Over everything above a write.
    pub(in crate::catalog) const fn new(scope: Scope, above: OverrideSeq) -> Self {
        Self { scope, above, after: None }
    }
}

/// A page, why some of it was left out, and how to go on.
#[derive(Debug)]
pub(crate) struct EntryPage {
    pub(crate) delta: EntryDelta,
    pub(crate) skipped: Option<String>,
    pub(crate) next: Option<EntryWalk>,
}

impl Catalog {
    /// The next page of a walk. What is written meanwhile moves to its end, so nothing is missed.
    pub(crate) async fn entry_page(&self, walk: EntryWalk) -> Result<EntryPage, CatalogError> {
        let mut wanted = Wanted::default();
        match &walk.after {
            None => {
                let above = wanted.bind(walk.above);
                wanted.only(format!("seq > {above}"));
            }
            Some((seq, kind, id)) => {
                let (seq, kind) = (wanted.bind(*seq), wanted.bind(&**kind));
                let id = wanted.bind(&**id);
                wanted.only(format!("(seq, kind, id) > ({seq}, {kind}, {id})"));
            }
        }
        let end = format!("ORDER BY seq, kind, id LIMIT {ENTRIES_PAGE_MAX}");
        let (sql, values) = wanted.query(SELECT, &end);
        let rows = self.database.read(async |session| session.rows(sql, values).await);
        let rows = rows.await?;
        let is_full = u32::try_from(rows.len()).is_ok_and(|count| count >= ENTRIES_PAGE_MAX);
        let last = rows.last().filter(|_| is_full).map(place).transpose()?;
        let known = blocking(move || read_known(&rows)).await?;
        let delta = EntryDelta {
            scope: walk.scope,
            entries: known.entries,
            kept: known.kept,
            is_first: walk.after.is_none(),
            is_last: last.is_none(),
        };
        let next = last.map(|last| EntryWalk { after: Some(last), ..walk });
        Ok(EntryPage { delta, skipped: known.skipped, next })
    }
}

fn place(row: &Row) -> Result<Place, CatalogError> {
    let seq = OverrideSeq::from_row(row.int(2)?)?;
    Ok((seq, row.text(0)?.into(), row.text(1)?.into()))
}

/// What rows say, as far as this release can read them.
#[derive(Debug, Default)]
struct Known {
    entries: Vec<StoredEntry>,
    kept: Vec<(EntryKind, Arc<str>)>,
    skipped: Option<String>,
}

/// What only a newer release can read opens nothing: a key or a token might have been revoked. A block or a quota stays
/// as it was: without it there would be no bound at all.
fn read_known(rows: &[Row]) -> Result<Known, CatalogError> {
    let mut known = Known::default();
    for row in rows {
        let error = match read(row) {
            Ok(entry) => {
                known.entries.push(entry);
                continue;
            }
            Err(error @ CatalogError::UnreadableEntry { .. }) => error,
            Err(error) => return Err(error),
        };
        known.skipped.get_or_insert(error.to_string());
        let Ok(kind) = row.text(0)?.parse() else {
            continue;
        };
        let (id, seq) = (row.text(1)?.into(), OverrideSeq::from_row(row.int(2)?)?);
        match StoredEntry::shut(kind, Arc::clone(&id), seq) {
            Some(shut) => known.entries.push(shut),
            None => known.kept.push((kind, id)),
        }
    }
    Ok(known)
}
