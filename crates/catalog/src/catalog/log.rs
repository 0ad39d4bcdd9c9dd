//! The order of the writes to what stands beside the revisions: overrides and entries.

use tollgate_core::{Micros, Timestamp};

use super::OverrideSeq;
use crate::{
    CatalogError, RevisionHash,
    sql::{Session, Value, values},
};

/// What has ended is kept this long: longer than the longest window, so that a counter that was begun
/// under one can still be read.
const KEPT_AFTER_END: Micros = Micros::from_secs(40 * 24 * 3_600);
/// A write clears away at most this many, so that none takes long.
const PRUNED_AT_ONCE: u32 = 1_000;

/// The newest write.
#[derive(Debug, Default)]
pub(super) struct Newest {
    pub(super) seq: OverrideSeq,
    /// None before the first write.
    pub(super) mark: Option<String>,
    last_id: i64,
}

pub(super) async fn newest(session: &mut Session) -> Result<Newest, CatalogError> {
    let sql = "SELECT seq, mark, last_id FROM override_marks ORDER BY seq DESC LIMIT 1";
    let Some(row) = session.row(sql, Vec::new()).await? else {
        return Ok(Newest::default());
    };
    Ok(Newest {
        seq: OverrideSeq::from_row(row.int(0)?)?,
        mark: Some(row.text(1)?.to_owned()),
        last_id: row.int(2)?,
    })
}

/// A write while it happens.
#[derive(Debug)]
pub(super) struct Log {
    /// Its number.
    pub(super) seq: OverrideSeq,
    /// The number of the write before.
    pub(super) before: OverrideSeq,
    /// Of the mark before and of all that is written.
    hashed: Vec<Vec<u8>>,
    last_id: i64,
}

impl Log {
    /// The number is above what is written and above what any node knows, as for revisions.
    pub(super) async fn begin(session: &mut Session, deed: &str) -> Result<Self, CatalogError> {
        let newest = newest(session).await?;
        let sql = "SELECT COALESCE(MAX(override_seq), 0) FROM nodes";
        let row = session.row(sql, Vec::new()).await?;
        let reported = OverrideSeq::from_row(row.map_or(Ok(0), |row| row.int(0))?)?;
        let seq = OverrideSeq::new(newest.seq.max(reported).get().saturating_add(1));
        let seq = seq.ok_or_else(no_more_numbers)?;
        let mark = newest.mark.unwrap_or_default().into_bytes();
        let hashed = vec![mark, seq.get().to_le_bytes().to_vec(), deed.into()];
        Ok(Self { seq, before: newest.seq, hashed, last_id: newest.last_id })
    }

    /// The next number for an id.
    pub(super) fn next_id(&mut self) -> Result<i64, CatalogError> {
        self.last_id = self.last_id.checked_add(1).ok_or_else(no_more_numbers)?;
        Ok(self.last_id)
    }

    /// Whether a number was given before.
    pub(super) fn is_given(&self, id: u64) -> bool {
        i64::try_from(id).is_ok_and(|id| id <= self.last_id)
    }

    pub(super) fn add(&mut self, part: &str) {
        self.hashed.push(part.into());
    }

    /// Marks the write, clears away what ended long ago, and tells everybody.
    pub(super) async fn finish(
        self,
        session: &mut Session,
        now: Timestamp,
    ) -> Result<(), CatalogError> {
        let hashed: Vec<&[u8]> = self.hashed.iter().map(Vec::as_slice).collect();
        let mark = RevisionHash::of(&hashed);
        let sql =
            "INSERT INTO override_marks (seq, mark, last_id, created_at) VALUES ($1, $2, $3, $4)";
        session.execute(sql, values![self.seq, mark, self.last_id, now]).await?;
        let old = now.saturating_sub(KEPT_AFTER_END);
        let sql = format!(
            "DELETE FROM overrides WHERE id IN \
             (SELECT id FROM overrides WHERE gone_at < $1 LIMIT {PRUNED_AT_ONCE})"
        );
        session.execute(sql, vec![Value::from(old)]).await?;
        let sql = format!(
            "DELETE FROM entries WHERE (kind, id) IN \
             (SELECT kind, id FROM entries WHERE gone_at < $1 LIMIT {PRUNED_AT_ONCE})"
        );
        session.execute(sql, vec![Value::from(old)]).await?;
        let sql = format!(
            "DELETE FROM override_marks WHERE seq IN (SELECT seq FROM override_marks \
             WHERE created_at < $1 AND seq < $2 LIMIT {PRUNED_AT_ONCE})"
        );
        session.execute(sql, values![old, self.seq]).await?;
        session.notify().await
    }
}

fn no_more_numbers() -> CatalogError {
    CatalogError::Corrupt("there are no more numbers for overrides".to_owned())
}
