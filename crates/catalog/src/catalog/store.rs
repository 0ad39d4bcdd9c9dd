//! The statements about revisions and their items.

use std::sync::Arc;

use super::{Head, OverrideSeq};
use crate::{
    CatalogError, ItemKey, ItemKind, RevisionHash, RevisionInfo, RevisionNumber,
    item::Item,
    revision::{Mark, Stamp},
    sql::{Row, Session, values},
};

/// `to_revision` of what is still in force.
pub(super) const IN_FORCE: i64 = i64::MAX;
/// More than the most rules, tiers and overrides a set may have.
const ITEMS_MAX: i64 = 250_000;

/// The newest of everything; [`crate::Revision::zero`] where nothing was written yet.
pub(super) async fn head(session: &mut Session) -> Result<Head, CatalogError> {
    let sql = "SELECT number, hash FROM revisions ORDER BY number DESC LIMIT 1";
    let newest = session.row(sql, Vec::new()).await?;
    let (revision, hash) = match newest {
        Some(row) => (RevisionNumber::from_row(row.int(0)?)?, hash(row.text(1)?)?),
        None => (RevisionNumber::ZERO, crate::Revision::zero().hash),
    };
    let sql = "SELECT COALESCE(MAX(seq), 0) FROM override_marks";
    let seq = session.row(sql, Vec::new()).await?;
    let seq = seq.map_or(Ok(0), |row| row.int(0))?;
    Ok(Head { revision, hash, override_seq: OverrideSeq::from_row(seq)? })
}

const INFO: &str =
    "SELECT number, hash, kind, back_to, author, reason, created_at, changed FROM revisions";

/// One line of the history.
pub(super) async fn info(
    session: &mut Session,
    number: RevisionNumber,
) -> Result<Option<RevisionInfo>, CatalogError> {
    let row = session.row(format!("{INFO} WHERE number = $1"), values![number]).await?;
    row.as_ref().map(read_info).transpose()
}

/// The history below a revision, newest first.
pub(super) async fn history(
    session: &mut Session,
    before: RevisionNumber,
    count: i64,
) -> Result<Vec<RevisionInfo>, CatalogError> {
    let sql = format!("{INFO} WHERE number < $1 ORDER BY number DESC LIMIT $2");
    let rows = session.rows(sql, values![before, count]).await?;
    rows.iter().map(read_info).collect()
}

fn read_info(row: &Row) -> Result<RevisionInfo, CatalogError> {
    Ok(RevisionInfo {
        number: RevisionNumber::from_row(row.int(0)?)?,
        hash: hash(row.text(1)?)?,
        kind: row.text(2)?.parse()?,
        back_to: row.maybe_int(3)?.map(RevisionNumber::from_row).transpose()?,
        author: row.text(4)?.into(),
        reason: row.maybe_text(5)?.map(Arc::from),
        created_at: row.moment(6)?,
        changed: u64::try_from(row.int(7)?).unwrap_or_default(),
    })
}

/// An item that is stored. Its key is none if only a newer release knows its kind.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) key: Result<ItemKey, String>,
    pub(crate) item: Item,
    pub(crate) stamp: Stamp,
}

const ITEM: &str = "SELECT i.kind, i.id, i.name, i.position, i.body, i.hash, i.from_revision, \
    i.created_revision, c.created_at, c.author, u.created_at, u.author FROM items i \
    JOIN revisions c ON c.number = i.created_revision \
    JOIN revisions u ON u.number = i.from_revision";

/// All that a revision holds.
pub(super) async fn items(
    session: &mut Session,
    number: RevisionNumber,
) -> Result<Vec<Stored>, CatalogError> {
    let sql =
        format!("{ITEM} WHERE i.from_revision <= $1 AND i.to_revision > $1 LIMIT {ITEMS_MAX}");
    let rows = session.rows(sql, values![number]).await?;
    if i64::try_from(rows.len()).is_ok_and(|count| count >= ITEMS_MAX) {
        let why = format!("revision {number} holds more than {ITEMS_MAX} items");
        return Err(CatalogError::Corrupt(why));
    }
    rows.iter().map(read_item).collect()
}

/// What a later revision holds that an earlier one does not hold alike.
pub(super) async fn items_since(
    session: &mut Session,
    earlier: RevisionNumber,
    later: RevisionNumber,
) -> Result<Vec<Stored>, CatalogError> {
    let sql = format!(
        "{ITEM} WHERE i.from_revision > $1 AND i.from_revision <= $2 AND i.to_revision > $2"
    );
    let rows = session.rows(sql, values![earlier, later]).await?;
    rows.iter().map(read_item).collect()
}

/// Which items of an earlier revision a later one does not hold any more, or not alike.
pub(super) async fn closed_since(
    session: &mut Session,
    earlier: RevisionNumber,
    later: RevisionNumber,
) -> Result<Vec<ItemKey>, CatalogError> {
    let sql = "SELECT kind, id FROM items \
        WHERE to_revision > $1 AND to_revision <= $2 AND from_revision <= $1";
    let rows = session.rows(sql, values![earlier, later]).await?;
    // What this release cannot read it does not hold either.
    let key = |row: &Row| {
        let kind: Option<ItemKind> = row.text(0)?.parse().ok();
        let id = row.text(1)?;
        Ok(kind.map(|kind| ItemKey::new(kind, id)))
    };
    rows.iter().filter_map(|row| key(row).transpose()).collect()
}

/// What one revision wrote, and what it closed.
pub(super) async fn touched_by(
    session: &mut Session,
    number: RevisionNumber,
) -> Result<Vec<[String; 5]>, CatalogError> {
    let sql = "SELECT kind, id, name, body, 'after' FROM items WHERE from_revision = $1 \
        UNION ALL SELECT kind, id, name, body, 'before' FROM items WHERE to_revision = $1";
    let rows = session.rows(sql, values![number]).await?;
    let texts = |row: &Row| {
        let text = |at| row.text(at).map(str::to_owned);
        Ok([text(0)?, text(1)?, text(2)?, text(3)?, text(4)?])
    };
    rows.iter().map(texts).collect()
}

fn read_item(row: &Row) -> Result<Stored, CatalogError> {
    let kind: Result<ItemKind, _> = row.text(0)?.parse();
    let id = row.text(1)?;
    let item =
        Item { name: row.text(2)?.into(), position: row.int(3)?, body: row.text(4)?.to_owned() };
    let stamp = Stamp {
        name: Arc::clone(&item.name),
        version: RevisionNumber::from_row(row.int(6)?)?,
        hash: hash(row.text(5)?)?,
        created: Mark { at: row.moment(8)?, by: row.text(9)?.into() },
        updated: Mark { at: row.moment(10)?, by: row.text(11)?.into() },
        created_in: RevisionNumber::from_row(row.int(7)?)?,
        position: item.position,
    };
    let unknown = || format!("an item of kind {:?}", row.text(0).unwrap_or_default());
    let key = kind.map(|kind| ItemKey::new(kind, id)).map_err(|_| unknown());
    Ok(Stored { key, item, stamp })
}

fn hash(text: &str) -> Result<RevisionHash, CatalogError> {
    text.parse().map_err(|_| CatalogError::Corrupt("a hash that is none".to_owned()))
}
