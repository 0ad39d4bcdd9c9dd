//! Putting overrides, and taking them away.

use tollgate_core::{Micros, Timestamp};

use super::{Draft, OverrideId, OverrideSeq};
use crate::{
    Author, Catalog, CatalogError, ContentHash, codec,
    deadline::within,
    sql::{Outcome, Session, Value, insert, values},
};

/// The most overrides in one write; whoever has more writes several times.
pub const OVERRIDES_BATCH_MAX: usize = 10_000;
/// Ended overrides are kept this long: longer than the longest window, so that a counter that was begun
/// under one can still be read.
const KEPT_AFTER_END: Micros = Micros::from_secs(40 * 24 * 3_600);
/// A write clears away at most this many, so that none takes long.
const PRUNED_AT_ONCE: u32 = 1_000;

/// What a write to the overrides did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OverridesWritten {
    /// The number of the write; nodes that know it have confirmed.
    pub seq: OverrideSeq,
    /// Whom it touched, in the order given.
    pub ids: Vec<OverrideId>,
}

impl Catalog {
    /// Puts one override.
    ///
    /// # Errors
    ///
    /// If the database fails; [`CatalogError::Undecided`] if its last answer was lost.
    pub async fn put_override(
        &self,
        draft: impl Into<Draft>,
        author: &Author,
    ) -> Result<OverridesWritten, CatalogError> {
        self.put_overrides(vec![draft.into()], author).await
    }

    /// Puts up to [`OVERRIDES_BATCH_MAX`] overrides: all or none.
    ///
    /// # Errors
    ///
    /// If there are more, or the database fails; [`CatalogError::Undecided`] if its last answer was lost.
    pub async fn put_overrides(
        &self,
        drafts: Vec<Draft>,
        author: &Author,
    ) -> Result<OverridesWritten, CatalogError> {
        is_bounded(drafts.len())?;
        let now = self.clock.now().wall;
        let put = async |session: &mut Session| {
            let seq = next_seq(session).await?;
            let mut ids = Vec::with_capacity(drafts.len());
            let mut rows = Vec::with_capacity(drafts.len());
            let mut parts: Vec<String> = Vec::with_capacity(drafts.len());
            for (at, draft) in drafts.iter().enumerate() {
                let id = draft.id.clone().unwrap_or_else(|| OverrideId::numbered(seq, at));
                let body = codec::override_body(&draft.what);
                let facts = codec::facts(&draft.what.key);
                let (rule, until) = (draft.what.rule.as_ref(), draft.what.until);
                let rule = rule.map(tollgate_rules::Name::as_str);
                parts.push(format!("{id}\n{body}"));
                let name = author.name();
                rows.push(values![id.as_str(), seq, rule, facts, body, until, name, now]);
                ids.push(id);
            }
            let into = "overrides (id, seq, rule, facts, body, gone_at, author, created_at)";
            let replace = "ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, rule = excluded.rule, \
                facts = excluded.facts, body = excluded.body, gone_at = excluded.gone_at, \
                author = excluded.author, created_at = excluded.created_at, \
                removed_at = NULL, removed_by = NULL";
            insert(session, into, replace, rows).await?;
            finish(session, seq, "put", &parts, now).await?;
            Ok((OverridesWritten { seq, ids }, Outcome::Commit))
        };
        self.write_overrides(put).await
    }

    /// Takes overrides away, at most [`OVERRIDES_BATCH_MAX`]. Those that are not there, or not any more,
    /// are left out of the answer.
    ///
    /// # Errors
    ///
    /// If the database fails; [`CatalogError::Undecided`] if its last answer was lost.
    pub async fn remove_overrides(
        &self,
        ids: &[OverrideId],
        author: &Author,
    ) -> Result<OverridesWritten, CatalogError> {
        is_bounded(ids.len())?;
        let now = self.clock.now().wall;
        let remove = async |session: &mut Session| {
            let seq = next_seq(session).await?;
            let mut removed = Vec::new();
            for id in ids {
                let sql = "UPDATE overrides SET seq = $1, removed_at = $2, removed_by = $3, \
                    gone_at = CASE WHEN gone_at < $2 THEN gone_at ELSE $2 END \
                    WHERE id = $4 AND removed_at IS NULL";
                let row = values![seq, now, author.name(), id.as_str()];
                if session.execute(sql, row).await? > 0 {
                    removed.push(id.clone());
                }
            }
            if removed.is_empty() {
                let seq = newest(session).await?.0;
                return Ok((OverridesWritten { seq, ids: removed }, Outcome::Undo));
            }
            let parts: Vec<String> = removed.iter().map(ToString::to_string).collect();
            finish(session, seq, "remove", &parts, now).await?;
            Ok((OverridesWritten { seq, ids: removed }, Outcome::Commit))
        };
        self.write_overrides(remove).await
    }

    async fn write_overrides(
        &self,
        work: impl AsyncFnOnce(&mut Session) -> Result<(OverridesWritten, Outcome), CatalogError>,
    ) -> Result<OverridesWritten, CatalogError> {
        let lock = async { Ok(self.writer.lock().await) };
        let _alone = within(self.deadlines().write, lock).await?;
        self.database.write(work).await
    }
}

const fn is_bounded(given: usize) -> Result<(), CatalogError> {
    if given > OVERRIDES_BATCH_MAX {
        let (what, max) = ("overrides in one write", OVERRIDES_BATCH_MAX);
        return Err(CatalogError::TooMany { what, given, max });
    }
    Ok(())
}

/// The newest write, and its mark.
pub(super) async fn newest(
    session: &mut Session,
) -> Result<(OverrideSeq, Option<String>), CatalogError> {
    let sql = "SELECT seq, mark FROM override_marks ORDER BY seq DESC LIMIT 1";
    match session.row(sql, Vec::new()).await? {
        Some(row) => Ok((OverrideSeq::from_row(row.int(0)?)?, Some(row.text(1)?.to_owned()))),
        None => Ok((OverrideSeq::ZERO, None)),
    }
}

/// Above what is written and above what any node knows, as for revisions.
async fn next_seq(session: &mut Session) -> Result<OverrideSeq, CatalogError> {
    let sql = "SELECT COALESCE(MAX(override_seq), 0) FROM nodes";
    let row = session.row(sql, Vec::new()).await?;
    let reported = OverrideSeq::from_row(row.map_or(Ok(0), |row| row.int(0))?)?;
    let (newest, _) = newest(session).await?;
    let next = newest.max(reported).get().saturating_add(1);
    OverrideSeq::new(next)
        .ok_or_else(|| CatalogError::Corrupt("there are no more numbers for overrides".to_owned()))
}

/// Marks the write, clears away what ended long ago, and tells everybody.
async fn finish(
    session: &mut Session,
    seq: OverrideSeq,
    deed: &str,
    parts: &[String],
    now: Timestamp,
) -> Result<(), CatalogError> {
    let (_, before) = newest(session).await?;
    let number = seq.get().to_le_bytes();
    let mut hashed: Vec<&[u8]> = vec![before.as_deref().unwrap_or_default().as_bytes()];
    hashed.extend([&number[..], deed.as_bytes()]);
    hashed.extend(parts.iter().map(String::as_bytes));
    let mark = ContentHash::of(&hashed);
    let sql = "INSERT INTO override_marks (seq, mark, created_at) VALUES ($1, $2, $3)";
    session.execute(sql, values![seq, mark, now]).await?;
    let old = now.saturating_sub(KEPT_AFTER_END);
    let sql = format!(
        "DELETE FROM overrides WHERE id IN \
         (SELECT id FROM overrides WHERE gone_at < $1 LIMIT {PRUNED_AT_ONCE})"
    );
    session.execute(sql, vec![Value::from(old)]).await?;
    let sql = format!(
        "DELETE FROM override_marks WHERE seq IN (SELECT seq FROM override_marks \
         WHERE created_at < $1 AND seq < $2 LIMIT {PRUNED_AT_ONCE})"
    );
    session.execute(sql, values![old, seq]).await?;
    session.notify().await
}
