//! Reading the audit.

use std::sync::Arc;

use tollgate_core::Timestamp;

use super::{AuditRow, Ended, Noted};
use crate::{
    Author, Catalog, CatalogError,
    sql::{Row, Wanted},
};

/// The most rows on a page.
pub const AUDIT_PAGE_MAX: u32 = 10_000;
/// A page where nobody says how long.
const PAGE: u32 = 100;

/// Which rows are asked for, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditListing {
    /// Only from this moment on.
    pub since: Option<Timestamp>,
    /// Only before this moment.
    pub until: Option<Timestamp>,
    /// Only by this actor.
    pub actor: Option<Arc<str>>,
    /// Only about objects of this kind.
    pub object_kind: Option<Arc<str>>,
    /// Only about the object of this id.
    pub object: Option<Arc<str>>,
    /// Only rows below this one.
    pub before: Option<u64>,
    /// At most this many, at most [`AUDIT_PAGE_MAX`]; 0 is 100.
    pub count: u32,
}

impl Catalog {
    /// Rows of the audit, a page at a time.
    ///
    /// # Errors
    ///
    /// If the database has no answer.
    pub async fn audit(&self, listing: &AuditListing) -> Result<Vec<AuditRow>, CatalogError> {
        let mut wanted = Wanted::default();
        if let Some(since) = listing.since {
            let since = wanted.bind(since);
            wanted.only(format!("at >= {since}"));
        }
        if let Some(until) = listing.until {
            let until = wanted.bind(until);
            wanted.only(format!("at < {until}"));
        }
        if let Some(before) = listing.before {
            let before = wanted.bind(i64::try_from(before).unwrap_or(i64::MAX));
            wanted.only(format!("id < {before}"));
        }
        wanted.equal("actor", listing.actor.as_deref());
        wanted.equal("object_kind", listing.object_kind.as_deref());
        wanted.equal("object_id", listing.object.as_deref());
        let count = if listing.count == 0 { PAGE } else { listing.count.min(AUDIT_PAGE_MAX) };
        let (sql, values) = wanted.query(SELECT, &format!("ORDER BY id DESC LIMIT {count}"));
        let rows = self.database.read(async |session| session.rows(sql, values).await);
        rows.await?.iter().map(read).collect()
    }
}

const SELECT: &str = "SELECT id, at, actor, role, from_address, request_id, action, object_kind, \
    object_id, before_json, after_json, reason, ended, times FROM audit";

fn read(row: &Row) -> Result<AuditRow, CatalogError> {
    let author = Author::from_texts([
        Some(row.text(2)?),
        row.maybe_text(3)?,
        row.maybe_text(4)?,
        row.maybe_text(5)?,
        row.maybe_text(11)?,
    ]);
    let is_done = row.text(12)? == Ended::Done.word();
    Ok(AuditRow {
        id: u64::try_from(row.int(0)?).unwrap_or_default(),
        at: row.moment(1)?,
        noted: Noted {
            author,
            action: row.text(6)?.into(),
            object: (row.text(7)?.into(), row.text(8)?.into()),
            before: row.maybe_text(9)?.map(str::to_owned),
            after: row.maybe_text(10)?.map(str::to_owned),
            ended: if is_done { Ended::Done } else { Ended::Refused },
            times: u64::try_from(row.int(13)?).unwrap_or_default(),
        },
    })
}
