//! What changed among the overrides since a node asked last.

use super::{
    Cursor, OVERRIDES_PAGE_MAX, OverrideSeq, StoredOverride,
    list::{after, place, read_known},
};
use crate::{
    Catalog, CatalogError,
    catalog::{EntryWalk, log::newest},
    sql::{Session, values},
};

/// How far somebody has followed the overrides. Two marks are equal only where everything before them is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OverrideMark {
    pub(crate) seq: OverrideSeq,
    /// None before the first write.
    pub(crate) mark: Option<String>,
}

impl OverrideMark {
    /// The number of the last write that was followed.
    pub const fn seq(&self) -> OverrideSeq {
        self.seq
    }

    /// The same place with a mark that no write has: whoever goes on from it fetches everything.
    pub(crate) fn unshared(&self) -> Self {
        let (seq, mark) = (self.seq, Some(String::new()));
        Self { seq, mark }
    }
}

/// A page of what changed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OverrideDelta {
    /// What the pages up to the last one hold together.
    pub scope: Scope,
    /// The overrides, oldest write first; those that were taken away are among them.
    pub entries: Vec<StoredOverride>,
    /// How far this page goes.
    pub seq: OverrideSeq,
    /// Whether it is the first one.
    pub is_first: bool,
    /// Whether it is the last one.
    pub is_last: bool,
    /// Why one was left out, if any was: a newer release wrote it.
    pub skipped: Option<String>,
}

/// What the pages of a delta hold together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scope {
    /// Everything: whatever is on none of them exists no more.
    Everything,
    /// What was written since.
    Changes,
}

/// A walk over the pages of a delta.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    scope: Scope,
    /// The last write that is known.
    known: OverrideSeq,
    cursor: Cursor,
}

impl Walk {
    /// Whether it goes over everything.
    pub(crate) fn is_whole(&self) -> bool {
        self.scope == Scope::Everything
    }
}

/// Where a walk has come to.
#[derive(Debug)]
pub(crate) enum Next {
    /// A page, and how to go on.
    Page(OverrideDelta, Walk),
    /// The last page, the mark that is reached with the entries that follow it, and how to get those.
    Last(OverrideDelta, OverrideMark, EntryWalk),
}

impl Catalog {
    /// How to get from a mark to what is there now. None: nothing changed since, or the database is older
    /// than the mark.
    pub(crate) async fn override_walk(
        &self,
        since: &OverrideMark,
    ) -> Result<Option<Walk>, CatalogError> {
        let read = async |session: &mut Session| {
            let head = newest(session).await?.seq;
            if head < since.seq {
                return Ok(None);
            }
            let sql = "SELECT mark FROM override_marks WHERE seq = $1";
            let row = session.row(sql, values![since.seq]).await?;
            let mark = row.map(|row| row.text(0).map(str::to_owned)).transpose()?;
            let is_shared = mark == since.mark;
            if is_shared && head == since.seq {
                return Ok(None);
            }
            if !is_shared || since.seq == OverrideSeq::ZERO {
                return Ok(Some(Walk {
                    scope: Scope::Everything,
                    known: OverrideSeq::ZERO,
                    cursor: Cursor::default(),
                }));
            }
            let next = OverrideSeq::new(since.seq.get().saturating_add(1)).unwrap_or(since.seq);
            let cursor = Cursor { seq: next, id: 0 };
            Ok(Some(Walk { scope: Scope::Changes, known: since.seq, cursor }))
        };
        self.database.read(read).await
    }

    /// The next page of a walk. What is written meanwhile moves to its end, so nothing is missed.
    pub(crate) async fn override_page(&self, walk: Walk) -> Result<Next, CatalogError> {
        let read = async |session: &mut Session| {
            let head = newest(session).await?;
            let rows = after(session, walk.cursor.clone()).await?;
            Ok((rows, OverrideMark { seq: head.seq, mark: head.mark }))
        };
        let (rows, mark) = self.database.read(read).await?;
        let is_full = u32::try_from(rows.len()).is_ok_and(|count| count >= OVERRIDES_PAGE_MAX);
        let last = rows.last().map(place).transpose()?;
        let (entries, skipped) = read_known(rows).await?;
        let (scope, is_first) = (walk.scope, walk.cursor == Cursor::default());
        match last {
            Some((seq, id)) if is_full => {
                let page = OverrideDelta { scope, entries, seq, is_first, is_last: false, skipped };
                Ok(Next::Page(page, Walk { cursor: Cursor { seq, id: id.get() }, ..walk }))
            }
            _ => {
                let page = OverrideDelta {
                    scope,
                    entries,
                    seq: mark.seq,
                    is_first,
                    is_last: true,
                    skipped,
                };
                // Read after the mark: whatever was written up to it is among them.
                let entries = EntryWalk::new(scope, walk.known);
                Ok(Next::Last(page, mark, entries))
            }
        }
    }
}
