//! Adding what nodes have seen.

use std::collections::BTreeMap;

use tollgate_core::{Micros, Timestamp};

use super::{UsageBatch, UsageRow};
use crate::{
    Catalog, CatalogError,
    sql::{Outcome, Session, Value, insert, values},
};

/// The most rows in one telling; whoever has more tells several times.
pub const USAGE_ROWS_MAX: usize = 10_000;
/// Days are kept this long: this month and the one before.
const KEPT: Micros = Micros::from_secs(62 * 24 * 3_600);
/// At most this many are cleared away at once: as many as one telling can add.
const PRUNED_AT_ONCE: usize = USAGE_ROWS_MAX;
const DAY: Micros = Micros::from_secs(24 * 3_600);

impl Catalog {
    /// Adds what a node has seen, once, however often it is told. A number below the last one adds nothing.
    ///
    /// # Errors
    ///
    /// If there are more than [`USAGE_ROWS_MAX`] rows, or the database fails; then tell the same under the same number
    /// again.
    pub async fn add_usage(&self, batch: &UsageBatch) -> Result<(), CatalogError> {
        let (given, max) = (batch.rows.len(), USAGE_ROWS_MAX);
        if given > max {
            let what = "rows of usage in one telling";
            return Err(CatalogError::TooMany { what, given, max });
        }
        let now = self.now();
        // Tellings need no order among each other, so none waits for the others.
        let add = self.database.note(async |session| {
            if !is_news(session, batch, now).await? {
                return Ok(((), Outcome::Undo));
            }
            add(session, &batch.rows).await?;
            Ok(((), Outcome::Commit))
        });
        add.await?;
        // What was told is in, whatever becomes of the old: an error would have it told again, for ever. The next
        // telling clears away what is left.
        drop(self.prune_usage(now).await);
        Ok(())
    }

    /// Clears away what is old, a part at a time.
    async fn prune_usage(&self, now: Timestamp) -> Result<(), CatalogError> {
        let old = now.saturating_sub(KEPT);
        let day = day_of(old);
        let look = self.database.read(async |session| {
            let sql = "SELECT day FROM usage_days WHERE day < $1 LIMIT 1";
            let days = session.row(sql, values![day]).await?;
            let sql = "SELECT number FROM usage_nodes WHERE told_at < $1 LIMIT 1";
            Ok(days.is_some() || session.row(sql, values![old]).await?.is_some())
        });
        if !look.await? {
            return Ok(());
        }
        self.write_alone(async |session| {
            let sql = format!(
                "DELETE FROM usage_days WHERE (kind, id, day) IN \
                 (SELECT kind, id, day FROM usage_days WHERE day < $1 LIMIT {PRUNED_AT_ONCE})"
            );
            session.execute(sql, values![day]).await?;
            let sql = format!(
                "DELETE FROM usage_nodes WHERE node IN \
                 (SELECT node FROM usage_nodes WHERE told_at < $1 LIMIT {PRUNED_AT_ONCE})"
            );
            session.execute(sql, values![old]).await?;
            Ok(((), Outcome::Commit))
        })
        .await
    }
}

/// Whether this was not told before. The row is locked with it: whoever tells the same meanwhile waits, and learns that
/// it is known.
async fn is_news(
    session: &mut Session,
    batch: &UsageBatch,
    now: Timestamp,
) -> Result<bool, CatalogError> {
    let sql = "INSERT INTO usage_nodes (node, number, told_at) VALUES ($1, $2, $3) \
        ON CONFLICT (node) DO UPDATE SET number = excluded.number, told_at = excluded.told_at \
        WHERE usage_nodes.number < excluded.number";
    let row = values![&*batch.node, int(batch.number), now];
    Ok(session.execute(sql, row).await? > 0)
}

/// Rows are written in the order of their keys, so that two nodes never wait for each other.
async fn add(session: &mut Session, rows: &[UsageRow]) -> Result<(), CatalogError> {
    let mut days: BTreeMap<(&str, &str, u32), Sum> = BTreeMap::new();
    let mut totals: BTreeMap<(&str, &str), Sum> = BTreeMap::new();
    for row in rows {
        let (kind, id) = (row.kind.word(), &*row.id);
        days.entry((kind, id, row.day)).or_default().add(row);
        totals.entry((kind, id)).or_default().add(row);
    }
    let days = days.into_iter().map(|((kind, id, day), sum)| {
        let mut row = values![kind, id, i64::from(day)];
        row.extend(sum.values());
        row
    });
    let into = "usage_days (kind, id, day, allowed, denied, last_at)";
    let more = onto("usage_days", "kind, id, day");
    insert(session, into, &more, days.collect()).await?;
    let totals = totals.into_iter().map(|((kind, id), sum)| {
        let mut row = values![kind, id];
        row.extend(sum.values());
        row
    });
    let into = "usage_totals (kind, id, allowed, denied, last_at)";
    let more = onto("usage_totals", "kind, id");
    insert(session, into, &more, totals.collect()).await
}

fn onto(table: &str, key: &str) -> String {
    format!(
        "ON CONFLICT ({key}) DO UPDATE SET allowed = {table}.allowed + excluded.allowed, \
         denied = {table}.denied + excluded.denied, last_at = CASE \
         WHEN {table}.last_at < excluded.last_at THEN excluded.last_at ELSE {table}.last_at END"
    )
}

/// What rows of one key say together.
#[derive(Debug, Default)]
struct Sum {
    allowed: u64,
    denied: u64,
    last_at: Timestamp,
}

impl Sum {
    fn add(&mut self, row: &UsageRow) {
        self.allowed = self.allowed.saturating_add(row.allowed);
        self.denied = self.denied.saturating_add(row.denied);
        self.last_at = self.last_at.max(row.last_at);
    }

    fn values(&self) -> Vec<Value> {
        values![int(self.allowed), int(self.denied), self.last_at]
    }
}

/// Far below what a number may be, so that sums do not overflow in the database.
const NUMBER_MAX: i64 = i64::MAX >> 16;

fn int(number: u64) -> i64 {
    i64::try_from(number).map_or(NUMBER_MAX, |number| number.min(NUMBER_MAX))
}

/// The day of a moment: days since 1970, UTC.
pub(super) const fn day_of(moment: Timestamp) -> i64 {
    (moment.as_micros() / DAY.get()).cast_signed()
}
