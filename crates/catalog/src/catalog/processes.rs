//! The processes that share counters, as they report themselves: a copy of the register that Redis has.

use std::time::Duration;

use tollgate_core::Timestamp;

use super::{Catalog, NodeId};
use crate::{
    CatalogError,
    deadline::within,
    sql::{Outcome, Row, Session, values},
};

/// What a process says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessReport {
    /// Those that share their counters have one name.
    pub fleet: String,
    /// This run of a node.
    pub process: String,
    /// The name of its node.
    pub node: NodeId,
    /// How long what it spends may count.
    pub life: Duration,
}

/// A process as the catalog knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Process {
    /// This run of a node.
    pub process: String,
    /// The name of its node.
    pub node: NodeId,
    /// When it first reported, by the clock of the database.
    pub first_seen: Timestamp,
    /// When it last did.
    pub last_seen: Timestamp,
    /// How long ago that is.
    pub silent_for: Duration,
    /// How long what it spent may count.
    pub life: Duration,
}

/// The most processes of a fleet that are listed, the latest first.
const PROCESSES_MAX: u32 = 1_000;
/// One that is gone is kept for so much longer than what it spent may count: it may have spent after its last report.
const KEPT_LONGER: Duration = Duration::from_secs(120);

impl Catalog {
    /// Says that a process is there. Hands over all others of its fleet of which something may still count.
    ///
    /// # Errors
    ///
    /// If the database has no answer.
    pub async fn enter_process(
        &self,
        report: &ProcessReport,
    ) -> Result<Vec<Process>, CatalogError> {
        let write = self.database.note(async |session| {
            let now = session.now().await?;
            let sql = "INSERT INTO processes (fleet, process, node_id, first_seen, last_seen, life) \
                VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (fleet, process) DO UPDATE SET \
                last_seen = excluded.last_seen, life = excluded.life";
            let row = values![
                report.fleet.as_str(),
                report.process.as_str(),
                report.node.as_str(),
                now,
                now,
                micros(report.life),
            ];
            session.execute(sql, row).await?;
            let sql = "DELETE FROM processes WHERE last_seen + life < $1";
            let before = now.saturating_sub(micros(KEPT_LONGER));
            session.execute(sql, values![before]).await?;
            let mut others = processes(session, &report.fleet).await?;
            others.retain(|other| other.process != report.process);
            Ok((others, Outcome::Commit))
        });
        within(self.deadlines().call, write).await
    }

    /// The processes of a fleet of which something may still count.
    ///
    /// # Errors
    ///
    /// If the database has no answer.
    pub async fn processes(&self, fleet: &str) -> Result<Vec<Process>, CatalogError> {
        let read = self.database.read(async |session| processes(session, fleet).await);
        within(self.deadlines().call, read).await
    }
}

async fn processes(session: &mut Session, fleet: &str) -> Result<Vec<Process>, CatalogError> {
    let now = session.now().await?;
    let sql = format!(
        "SELECT process, node_id, first_seen, last_seen, life FROM processes \
         WHERE fleet = $1 AND last_seen + life >= $2 ORDER BY last_seen DESC LIMIT {PROCESSES_MAX}"
    );
    let since = now.saturating_sub(micros(KEPT_LONGER));
    let rows = session.rows(sql, values![fleet, since]).await?;
    let process = |row: &Row| {
        Ok(Process {
            process: row.text(0)?.to_owned(),
            node: NodeId::new(row.text(1)?),
            first_seen: row.moment(2)?,
            last_seen: row.moment(3)?,
            silent_for: duration(now.saturating_sub(row.int(3)?)),
            life: duration(row.int(4)?),
        })
    };
    rows.iter().map(process).collect()
}

/// Bounded, so that sums with it stay within what databases count with.
fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).map_or(i64::MAX / 4, |micros| micros.min(i64::MAX / 4))
}

fn duration(micros: i64) -> Duration {
    Duration::from_micros(u64::try_from(micros).unwrap_or(0))
}
