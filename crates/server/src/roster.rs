//! A copy, in the catalog, of the register of processes that Redis has: should Redis lose it together with every node that
//! remembers it, those that may have spent are still known.

use std::{sync::Arc, time::Duration};

use tokio::time::timeout;
use tollgate_catalog::{Catalog, CatalogError, NodeId, Process, ProcessReport};
use tollgate_redis::{Options, Peer};

use crate::{counters::Keeper, engine::Engine, stop::Stop};

/// How often a process reports: it may have spent for so long after it was last seen, and for as long as a report takes.
const EVERY: Duration = Duration::from_secs(5);
const UNSEEN_MAX: Duration = Duration::from_secs(15);
/// How long the start waits for a database that may be away.
const FIRST_MAX: Duration = Duration::from_secs(1);
/// Of one that has been silent for longer every node has heard while it was alive.
const LATELY: Duration = Duration::from_secs(60);

/// Reports one process, and hears of all others.
#[derive(Debug)]
pub(crate) struct Roster {
    catalog: Catalog,
    engine: Arc<Engine>,
    fleet: String,
    node: NodeId,
}

/// With all that is remembered of the processes before: what they had spent, and who they were.
pub(crate) async fn remembering(
    options: Option<Options>,
    keeper: &Keeper,
    catalog: &Catalog,
) -> Option<Options> {
    let options = options?;
    let fleet = options.fleet();
    let known = timeout(FIRST_MAX, catalog.processes(&fleet)).await;
    let known = known.unwrap_or(Err(CatalogError::Timeout(FIRST_MAX)));
    let peers = known.unwrap_or_else(|error| {
        tracing::warn!(
            %error,
            "Which processes shared these counters before is not known: should Redis have lost its memory, what they \
             spent may be spent once more."
        );
        Vec::new()
    });
    Some(Options {
        journal: keeper.load_journal(),
        peers: peers.iter().map(peer).collect(),
        ..options
    })
}

impl Roster {
    pub(crate) fn new(
        fleet: String,
        catalog: &Catalog,
        engine: &Arc<Engine>,
        node: &NodeId,
    ) -> Self {
        Self { catalog: catalog.clone(), engine: Arc::clone(engine), fleet, node: node.clone() }
    }

    /// Reports, if there is a fleet and the database answers soon.
    pub(crate) async fn enter_soon(roster: Option<&Self>) {
        if let Some(roster) = roster {
            // It is tried again every few seconds.
            drop(timeout(FIRST_MAX, roster.enter()).await);
        }
    }

    pub(crate) async fn run(self, mut stop: Stop) {
        while timeout(EVERY, stop.heard()).await.is_err() {
            self.enter().await;
        }
    }

    async fn enter(&self) {
        let Some(fleet) = self.engine.fleet() else {
            return;
        };
        let redis = fleet.redis();
        let report = ProcessReport {
            fleet: self.fleet.clone(),
            process: redis.process().to_owned(),
            node: self.node.clone(),
            life: redis.life(),
        };
        match self.catalog.enter_process(&report).await {
            Ok(others) => {
                let lately = others.iter().filter(|other| other.silent_for <= LATELY);
                let peers: Vec<Peer> = lately.map(peer).collect();
                redis.hear_of(&peers);
            }
            Err(error) => tracing::debug!(%error, "The catalog does not know of this process yet."),
        }
    }
}

fn peer(process: &Process) -> Peer {
    Peer {
        name: process.process.clone(),
        silent_for: process.silent_for.saturating_sub(UNSEEN_MAX),
        life: process.life,
    }
}
