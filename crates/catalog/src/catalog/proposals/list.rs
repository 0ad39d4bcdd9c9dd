//! Reading proposals.

use std::sync::Arc;

use tollgate_core::Timestamp;

use super::{Proposal, ProposalState, Settled, row};
use crate::{
    Author, Catalog, CatalogError,
    sql::{Row, Session, values},
};

/// The most proposals that are listed.
pub const PROPOSALS_MAX: u32 = 100;
pub(super) const OPEN: &str = "open";
pub(super) const APPROVED: &str = "approved";
pub(super) const REJECTED: &str = "rejected";

impl Catalog {
    /// At most [`PROPOSALS_MAX`] proposals: those that wait before the others, and each the newest first.
    ///
    /// # Errors
    ///
    /// If the database has no answer.
    pub async fn proposals(&self) -> Result<Vec<Proposal>, CatalogError> {
        let now = self.now();
        let sql = format!(
            "{SELECT} ORDER BY CASE WHEN state = $1 AND expires_at > $2 THEN 0 ELSE 1 END, id DESC \
             LIMIT {PROPOSALS_MAX}"
        );
        let rows = self.database.read(async |session| session.rows(sql, values![OPEN, now]).await);
        rows.await?.iter().map(|row| read(row, now)).collect()
    }

    /// One proposal, if there is one of this id.
    ///
    /// # Errors
    ///
    /// If the database has no answer.
    pub async fn proposal(&self, id: u64) -> Result<Option<Proposal>, CatalogError> {
        let now = self.now();
        let found = self.database.read(async |session| find(session, id, now).await);
        found.await
    }
}

const SELECT: &str = "SELECT id, asked, author, role, from_address, request_id, reason, \
    created_at, expires_at, state, settled_by, settled_at, settled_reason FROM proposals";

pub(super) async fn find(
    session: &mut Session,
    id: u64,
    now: Timestamp,
) -> Result<Option<Proposal>, CatalogError> {
    let sql = format!("{SELECT} WHERE id = $1");
    let id = i64::try_from(id).unwrap_or(i64::MAX);
    let row = session.row(sql, values![id]).await?;
    row.map(|row| read(&row, now)).transpose()
}

fn read(row: &Row, now: Timestamp) -> Result<Proposal, CatalogError> {
    let author = Author::from_texts([
        Some(row.text(2)?),
        row.maybe_text(3)?,
        row.maybe_text(4)?,
        row.maybe_text(5)?,
        row.maybe_text(6)?,
    ]);
    let settled = || {
        Ok::<_, CatalogError>(Settled {
            by: row.text(10)?.into(),
            at: row.moment(11)?,
            reason: row.maybe_text(12)?.map(Arc::from),
        })
    };
    let expires_at = row.moment(8)?;
    let state = match row.text(9)? {
        APPROVED => ProposalState::Approved(settled()?),
        REJECTED => ProposalState::Rejected(settled()?),
        OPEN if now < expires_at => ProposalState::Open,
        _ => ProposalState::Expired,
    };
    Ok(Proposal {
        id: u64::try_from(row.int(0)?).unwrap_or_default(),
        asked: row::from_text(row.text(1)?).map_err(CatalogError::Corrupt)?,
        author,
        created_at: row.moment(7)?,
        expires_at,
        state,
    })
}
