//! The entries in the copy: they follow the overrides of the same write, in the same file.

use tollgate_core::Timestamp;

use super::{
    LastGood, LastGoodError,
    row::{EntryRow, MarkRow, PageRow, ReachedRow},
};
use crate::{CatalogError, EntryDelta, EntryKind, OverrideMark, OverrideSeq, StoredEntry, catalog};

/// An entry is at most 16 KiB, and a piece of the file has a bound.
const ENTRIES_IN_PIECE: usize = 1_000;

impl LastGood {
    /// Keeps a page. The last one of a walk comes with the mark that is reached; until then nothing of it counts.
    pub(crate) fn save_entries(
        &self,
        page: &EntryDelta,
        reached: Option<&OverrideMark>,
    ) -> Result<(), LastGoodError> {
        let mut pieces = page.entries.chunks(ENTRIES_IN_PIECE).peekable();
        loop {
            let some = pieces.next().unwrap_or_default();
            let is_last = pieces.peek().is_none();
            let reached = reached
                .filter(|_| is_last)
                .map(|mark| ReachedRow { seq: mark.seq.get(), mark: mark.mark.clone() });
            let row = PageRow {
                entries: Vec::new(),
                identities: Some(some.iter().filter_map(row).collect()),
                reached,
            };
            self.save(page.scope, &row)?;
            if is_last {
                return Ok(());
            }
        }
    }
}

/// What was read can be written.
fn row(entry: &StoredEntry) -> Option<EntryRow> {
    let mark = |(at, by): &(Timestamp, std::sync::Arc<str>)| MarkRow {
        at: at.as_micros(),
        by: by.to_string(),
    };
    Some(EntryRow {
        kind: entry.body.kind().word().to_owned(),
        id: entry.id.to_string(),
        seq: entry.seq.get(),
        body: catalog::row::to_text(&entry.body).ok()?,
        created: mark(&entry.created),
        changed: mark(&entry.changed),
        gone: entry.is_gone,
    })
}

/// What stands for it if this release cannot read it.
pub(super) fn shut(row: &EntryRow) -> Option<StoredEntry> {
    let seq = OverrideSeq::new(row.seq).unwrap_or_default();
    StoredEntry::shut(row.kind.parse().ok()?, row.id.as_str().into(), seq)
}

/// An entry as it was kept; or why this release cannot read it, which is no reason to do without the others.
pub(super) fn stored(row: EntryRow) -> Result<StoredEntry, CatalogError> {
    let (id, word) = (row.id.clone(), row.kind.clone());
    let unreadable =
        |why: String| CatalogError::UnreadableEntry { kind: word.clone(), id: id.clone(), why };
    let kind: Result<EntryKind, _> = row.kind.parse();
    let kind = kind.map_err(|_| unreadable("a kind that it does not know".to_owned()))?;
    let seq = OverrideSeq::new(row.seq);
    let mark = |row: MarkRow| (Timestamp::from_micros(row.at), row.by.into());
    Ok(StoredEntry {
        id: row.id.into(),
        body: catalog::row::from_text(kind, &row.body).map_err(unreadable)?,
        seq: seq.ok_or_else(|| unreadable("its number is out of range".to_owned()))?,
        created: mark(row.created),
        changed: mark(row.changed),
        is_gone: row.gone,
    })
}
