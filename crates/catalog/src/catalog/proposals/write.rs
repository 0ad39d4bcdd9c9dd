//! Making and settling proposals.

use tollgate_core::Timestamp;

use super::{
    Asked, Proposal, ProposalState, Settled, Settlement,
    list::{APPROVED, OPEN, REJECTED, find},
    row,
};
use crate::{
    Author, Catalog, CatalogError,
    catalog::{Noted, audit},
    sql::{Outcome, Session, values},
};

/// The most proposals that may wait at a time.
pub const OPEN_PROPOSALS_MAX: usize = 100;

impl Catalog {
    /// Puts a change before others.
    ///
    /// # Errors
    ///
    /// If [`OPEN_PROPOSALS_MAX`] wait already, or the database fails.
    pub async fn propose(
        &self,
        asked: Asked,
        author: &Author,
        expires_at: Timestamp,
    ) -> Result<Proposal, CatalogError> {
        let text = row::to_text(&asked).map_err(CatalogError::Corrupt)?;
        let now = self.now();
        self.write_alone(async |session| {
            has_room(session, now).await?;
            let sql = "SELECT COALESCE(MAX(id), 0) FROM proposals";
            let last = session.row(sql, Vec::new()).await?;
            let id = last.map_or(Ok(0), |row| row.int(0))?.saturating_add(1);
            let sql = "INSERT INTO proposals (id, asked, author, role, from_address, request_id, \
                reason, created_at, expires_at, state) \
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
            let row = values![
                id,
                &*text,
                author.name(),
                author.role(),
                author.from(),
                author.request(),
                author.reason(),
                now,
                expires_at,
                OPEN
            ];
            session.execute(sql, row).await?;
            let object = ("proposal", &*id.to_string());
            let action = "proposal.open".to_owned();
            let noted = Noted::done(author, action, object, None, Some(text));
            audit::record(session, now, vec![noted]).await?;
            let proposal = Proposal {
                id: u64::try_from(id).unwrap_or_default(),
                asked,
                author: author.clone(),
                created_at: now,
                expires_at,
                state: ProposalState::Open,
            };
            Ok((proposal, Outcome::Commit))
        })
        .await
    }

    /// Settles a proposal that is open; the audit says so. Whoever made it may reject it, not approve it.
    ///
    /// # Errors
    ///
    /// [`CatalogError::NotOpen`] if it is not there, or not open any more; [`CatalogError::OwnProposal`] if it is the
    /// author's own; otherwise if the database fails.
    pub async fn settle_proposal(
        &self,
        id: u64,
        settlement: Settlement,
        author: &Author,
    ) -> Result<Proposal, CatalogError> {
        let now = self.now();
        self.write_alone(async |session| {
            let found = find(session, id, now).await?;
            let is_open = |proposal: &Proposal| proposal.state == ProposalState::Open;
            let mut proposal = found.filter(is_open).ok_or(CatalogError::NotOpen(id))?;
            let is_own = proposal.author.name() == author.name();
            if is_own && settlement == Settlement::Approve {
                return Err(CatalogError::OwnProposal(id));
            }
            let settled = Settled {
                by: author.name().into(),
                at: now,
                reason: author.reason().map(Into::into),
            };
            let (word, verb, state) = match settlement {
                Settlement::Approve => (APPROVED, "approve", ProposalState::Approved(settled)),
                Settlement::Reject => (REJECTED, "reject", ProposalState::Rejected(settled)),
            };
            let sql = "UPDATE proposals SET state = $1, settled_by = $2, settled_at = $3, \
                settled_reason = $4 WHERE id = $5";
            let key = i64::try_from(id).unwrap_or(i64::MAX);
            let row = values![word, author.name(), now, author.reason(), key];
            session.execute(sql, row).await?;
            let before = row::to_text(&proposal.asked).ok();
            let object = ("proposal", &*id.to_string());
            let noted = Noted::done(author, format!("proposal.{verb}"), object, before, None);
            audit::record(session, now, vec![noted]).await?;
            proposal.state = state;
            Ok((proposal, Outcome::Commit))
        })
        .await
    }

    /// Puts a proposal back that was approved and could not be done; the audit says so.
    ///
    /// # Errors
    ///
    /// [`CatalogError::NotOpen`] if it is not there, was not approved, or its time has come; otherwise if the database
    /// fails.
    pub async fn reopen_proposal(
        &self,
        id: u64,
        author: &Author,
    ) -> Result<Proposal, CatalogError> {
        let now = self.now();
        self.write_alone(async |session| {
            let found = find(session, id, now).await?;
            let is_approved = |proposal: &Proposal| {
                matches!(proposal.state, ProposalState::Approved(_)) && now < proposal.expires_at
            };
            let mut proposal = found.filter(is_approved).ok_or(CatalogError::NotOpen(id))?;
            let sql = "UPDATE proposals SET state = $1, settled_by = NULL, settled_at = NULL, \
                settled_reason = NULL WHERE id = $2";
            let key = i64::try_from(id).unwrap_or(i64::MAX);
            session.execute(sql, values![OPEN, key]).await?;
            let object = ("proposal", &*id.to_string());
            let noted = Noted::done(author, "proposal.reopen".to_owned(), object, None, None);
            audit::record(session, now, vec![noted]).await?;
            proposal.state = ProposalState::Open;
            Ok((proposal, Outcome::Commit))
        })
        .await
    }
}

async fn has_room(session: &mut Session, now: Timestamp) -> Result<(), CatalogError> {
    let sql = "SELECT count(*) FROM proposals WHERE state = $1 AND expires_at > $2";
    let row = session.row(sql, values![OPEN, now]).await?;
    let count = row.map_or(Ok(0), |row| row.int(0))?;
    let given = usize::try_from(count).unwrap_or(usize::MAX);
    let max = OPEN_PROPOSALS_MAX;
    if given >= max {
        let (what, given) = ("proposals that wait", given.saturating_add(1));
        return Err(CatalogError::TooMany { what, given, max });
    }
    Ok(())
}
