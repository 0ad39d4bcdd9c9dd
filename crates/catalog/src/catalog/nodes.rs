//! The nodes that run the rules, as they report themselves.

use std::{collections::BTreeSet, fmt, sync::Arc, time::Duration};

use tollgate_core::Timestamp;

use super::{Catalog, OverrideSeq};
use crate::{
    CatalogError, RevisionHash, RevisionNumber,
    deadline::within,
    sql::{Outcome, Row, Session, values},
};

/// The name of a running node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(Arc<str>);

impl NodeId {
    /// The longest name; what is longer is cut.
    pub const CHARS_MAX: usize = 200;

    /// The node of this name.
    pub fn new(name: &str) -> Self {
        let kept: String =
            name.chars().filter(|&sign| sign != '\0').take(Self::CHARS_MAX).collect();
        Self(kept.into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a node says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeReport {
    /// Who it is.
    pub id: NodeId,
    /// The revision it decides by.
    pub revision: RevisionNumber,
    /// The hash of what that holds.
    pub hash: RevisionHash,
    /// The last write to the overrides it knows.
    pub override_seq: OverrideSeq,
    /// When it started.
    pub started_at: Timestamp,
    /// How often it reports. It counts as alive for three times as long.
    pub every: Duration,
}

/// A node as the catalog knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Node {
    /// Who it is.
    pub id: NodeId,
    /// The revision it decides by.
    pub revision: RevisionNumber,
    /// The hash of what that holds.
    pub hash: RevisionHash,
    /// The last write to the overrides it knows.
    pub override_seq: OverrideSeq,
    /// When it started, by its own clock.
    pub started_at: Timestamp,
    /// When it reported last, by the clock of the database.
    pub seen_at: Timestamp,
    /// Whether it has reported lately.
    pub is_live: bool,
    /// Whether it said goodbye.
    pub has_left: bool,
}

/// What a write waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Goal {
    /// Every live node runs this revision or a later one.
    Revision(RevisionNumber),
    /// Every live node knows this write to the overrides.
    Overrides(OverrideSeq),
}

impl Goal {
    fn is_reached(self, node: &Node) -> bool {
        match self {
            Self::Revision(number) => node.revision >= number,
            Self::Overrides(seq) => node.override_seq >= seq,
        }
    }
}

/// Who has confirmed a write, and who has not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Confirmation {
    /// These nodes run it.
    pub confirmed: Vec<NodeId>,
    /// These were alive while we waited, and have not said so.
    pub missing: Vec<NodeId>,
}

impl Confirmation {
    /// Whether nobody is missing.
    pub const fn is_complete(&self) -> bool {
        self.missing.is_empty()
    }
}

/// A node may miss two reports before it counts as gone.
const REPORTS_MISSED: u32 = 3;
/// How often the table is looked at while a write waits.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// The most nodes that are listed.
const NODES_MAX: u32 = 10_000;
/// Nodes that have been silent for a week are forgotten, unless they run what nobody else has.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(7 * 24 * 3_600);

impl Catalog {
    /// Says what a node runs, and that it is alive.
    ///
    /// # Errors
    ///
    /// If the database has no answer.
    pub async fn report(&self, report: &NodeReport) -> Result<(), CatalogError> {
        let alive = micros(report.every.saturating_mul(REPORTS_MISSED));
        let write = self.database.note(async |session| {
            let now = session.now().await?;
            let sql = "INSERT INTO nodes (node_id, revision, content_hash, override_seq, \
                started_at, seen_at, alive_until) VALUES ($1, $2, $3, $4, $5, $6, $7) \
                ON CONFLICT (node_id) DO UPDATE SET revision = excluded.revision, \
                content_hash = excluded.content_hash, override_seq = excluded.override_seq, \
                started_at = excluded.started_at, seen_at = excluded.seen_at, \
                alive_until = excluded.alive_until";
            let row = values![
                report.id.as_str(),
                report.revision,
                report.hash,
                report.override_seq,
                report.started_at,
                now,
                now.saturating_add(alive),
            ];
            session.execute(sql, row).await?;
            forget(session, now).await?;
            Ok(((), Outcome::Commit))
        });
        within(self.deadlines().call, write).await
    }

    /// Says that a node has stopped: nobody waits for it any more.
    ///
    /// # Errors
    ///
    /// If the database has no answer.
    pub async fn leave(&self, id: &NodeId) -> Result<(), CatalogError> {
        let write = self.database.note(async |session| {
            let sql = "UPDATE nodes SET alive_until = 0 WHERE node_id = $1";
            session.execute(sql, values![id.as_str()]).await?;
            Ok(((), Outcome::Commit))
        });
        within(self.deadlines().call, write).await
    }

    /// Every node that has reported in the last week.
    ///
    /// # Errors
    ///
    /// If the database has no answer.
    pub async fn nodes(&self) -> Result<Vec<Node>, CatalogError> {
        self.database.read(nodes).await
    }

    /// Waits until every live node has confirmed a write, at most until the deadline, and names the nodes that have not:
    /// that is an answer, not an error. It looks at least once, however short the deadline is.
    ///
    /// # Errors
    ///
    /// If the database has no answer.
    pub async fn wait_confirmed(
        &self,
        goal: Goal,
        deadline: Duration,
    ) -> Result<Confirmation, CatalogError> {
        let mut awaited: BTreeSet<NodeId> = BTreeSet::new();
        let mut last = self.look_confirmed(goal, &mut awaited).await?;
        let wait = async {
            while !last.is_complete() {
                tokio::time::sleep(LOOK_EVERY).await;
                last = self.look_confirmed(goal, &mut awaited).await?;
            }
            Ok(())
        };
        match tokio::time::timeout(deadline, wait).await {
            Ok(Err(error)) => Err(error),
            Ok(Ok(())) | Err(_) => Ok(last),
        }
    }

    /// One look at the nodes. `awaited` holds the live ones of all looks so far.
    async fn look_confirmed(
        &self,
        goal: Goal,
        awaited: &mut BTreeSet<NodeId>,
    ) -> Result<Confirmation, CatalogError> {
        let nodes = self.nodes().await?;
        let live = nodes.iter().filter(|node| node.is_live);
        awaited.extend(live.map(|node| node.id.clone()));
        for gone in nodes.iter().filter(|node| node.has_left) {
            awaited.remove(&gone.id);
        }
        let has_confirmed =
            |id: &NodeId| nodes.iter().any(|node| node.id == *id && goal.is_reached(node));
        let (confirmed, missing) = awaited.iter().cloned().partition(has_confirmed);
        Ok(Confirmation { confirmed, missing })
    }
}

async fn nodes(session: &mut Session) -> Result<Vec<Node>, CatalogError> {
    let now = session.now().await?;
    let sql = format!(
        "SELECT node_id, revision, content_hash, override_seq, started_at, seen_at, alive_until \
         FROM nodes ORDER BY node_id LIMIT {NODES_MAX}"
    );
    let rows = session.rows(sql, Vec::new()).await?;
    let node = |row: &Row| {
        let hash = row.text(2)?.parse();
        Ok(Node {
            id: NodeId::new(row.text(0)?),
            revision: RevisionNumber::from_row(row.int(1)?)?,
            hash: hash.map_err(|_| CatalogError::Corrupt("a node's hash is none".to_owned()))?,
            override_seq: OverrideSeq::from_row(row.int(3)?)?,
            started_at: row.moment(4)?,
            seen_at: row.moment(5)?,
            is_live: row.int(6)? > now,
            has_left: row.int(6)? == 0,
        })
    };
    rows.iter().map(node).collect()
}

/// A node that is the only one to know a revision is kept: the next number must be above it.
async fn forget(session: &mut Session, now: i64) -> Result<(), CatalogError> {
    let before = now.saturating_sub(micros(FORGOTTEN_AFTER));
    let sql = "DELETE FROM nodes WHERE seen_at < $1 AND alive_until < $2 \
        AND revision <= (SELECT COALESCE(MAX(number), 0) FROM revisions) \
        AND override_seq <= (SELECT COALESCE(MAX(seq), 0) FROM override_marks)";
    session.execute(sql, values![before, now]).await?;
    Ok(())
}

fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}
