//! Asking what was used.

use std::{collections::HashMap, sync::Arc};

use tollgate_core::{Period, Timestamp};

use super::{Usage, UsageKind, add::day_of};
use crate::{
    Catalog, CatalogError,
    sql::{Row, Session, Wanted},
};

/// One query asks for this many: each has a row a day.
const ASKED_AT_ONCE: usize = 500;

impl Catalog {
    /// What these have used, in their order, by the calendar of UTC at a moment.
    ///
    /// # Errors
    ///
    /// If the database has no answer.
    pub async fn usage(
        &self,
        kind: UsageKind,
        ids: &[Arc<str>],
        now: Timestamp,
    ) -> Result<Vec<Usage>, CatalogError> {
        let read = self.database.read(async |session| {
            let mut found: HashMap<String, Usage> = HashMap::new();
            for some in ids.chunks(ASKED_AT_ONCE) {
                totals(session, kind, some, &mut found).await?;
                days(session, kind, some, now, &mut found).await?;
            }
            Ok(found)
        });
        let found = read.await?;
        let of = |id: &Arc<str>| found.get(&**id).copied().unwrap_or_default();
        Ok(ids.iter().map(of).collect())
    }
}

async fn totals(
    session: &mut Session,
    kind: UsageKind,
    ids: &[Arc<str>],
    found: &mut HashMap<String, Usage>,
) -> Result<(), CatalogError> {
    let wanted = of(kind, ids);
    let select = "SELECT id, allowed, denied, last_at FROM usage_totals";
    let (sql, values) = wanted.query(select, "");
    for row in session.rows(sql, values).await? {
        let usage = found.entry(row.text(0)?.to_owned()).or_default();
        usage.total = counts(&row)?;
        usage.last_at = row.maybe_moment(3)?;
    }
    Ok(())
}

async fn days(
    session: &mut Session,
    kind: UsageKind,
    ids: &[Arc<str>],
    now: Timestamp,
    found: &mut HashMap<String, Usage>,
) -> Result<(), CatalogError> {
    let (month, today) = (Period::MONTH, day_of(now));
    let first = day_of(month.start_of(month.window_at(now)));
    let mut wanted = of(kind, ids);
    let (from, to) = (wanted.bind(first), wanted.bind(today));
    wanted.only(format!("day BETWEEN {from} AND {to}"));
    let select = "SELECT id, allowed, denied, day FROM usage_days";
    let (sql, values) = wanted.query(select, "");
    for row in session.rows(sql, values).await? {
        let usage = found.entry(row.text(0)?.to_owned()).or_default();
        let (allowed, denied) = counts(&row)?;
        usage.month.0 = usage.month.0.saturating_add(allowed);
        usage.month.1 = usage.month.1.saturating_add(denied);
        if row.int(3)? == today {
            usage.today = (allowed, denied);
        }
    }
    Ok(())
}

fn of(kind: UsageKind, ids: &[Arc<str>]) -> Wanted {
    let mut wanted = Wanted::default();
    wanted.equal("kind", Some(kind.word()));
    let places = wanted.bind_all(ids.iter().map(|id| &**id));
    wanted.only(format!("id IN ({places})"));
    wanted
}

fn counts(row: &Row) -> Result<(u64, u64), CatalogError> {
    let count = |at| row.int(at).map(|count| u64::try_from(count).unwrap_or_default());
    Ok((count(1)?, count(2)?))
}
