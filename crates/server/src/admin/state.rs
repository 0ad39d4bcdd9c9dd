//! What the admin side works on.

use std::{fmt, sync::Arc};

use tollgate_catalog::{Catalog, NodeId, Origin, WatchStatus};
use tollgate_rules::Live;

use crate::{
    authority::{Authority, Door},
    config::Owner,
    engine::Engine,
};

/// Everything the admin side needs. Whoever starts the server fills it in.
pub(crate) struct AdminState {
    /// Decisions: peeks and resets.
    pub(crate) engine: Arc<Engine>,
    /// Rules, revisions, overrides, nodes.
    pub(crate) catalog: Catalog,
    /// Who may do what.
    pub(crate) authority: Authority,
    /// Where the listener can be reached from.
    pub(crate) door: Door,
    /// Who writes the rules.
    pub(crate) owner: Owner,
    /// Names besides `localhost` and addresses that a loopback listener answers to.
    pub(crate) hosts: Vec<String>,
    /// This node.
    pub(crate) node: NodeId,
    /// Its region.
    pub(crate) region: String,
    /// What others tell.
    pub(crate) sources: Sources,
}

/// Asks somebody else how it is right now.
pub(crate) type Source<T> = Arc<dyn Fn() -> T + Send + Sync>;

/// What others tell the admin side. Each is asked when somebody wants to know.
#[derive(Clone)]
pub(crate) struct Sources {
    /// How the node does.
    pub(crate) health: Source<Health>,
    /// All metrics as OpenMetrics text.
    pub(crate) metrics: Source<String>,
    /// The busiest keys, busiest first; at most as many as asked for.
    pub(crate) top_keys: Arc<dyn Fn(usize) -> Vec<TopKey> + Send + Sync>,
    /// Whether demonstration rules are in force, which are in no catalog.
    pub(crate) demo: Source<bool>,
}

/// A key that is asked for often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TopKey {
    /// The rule that counts it.
    pub(crate) rule: String,
    /// The values of the rule's key fields.
    pub(crate) key: String,
    /// How often, at most.
    pub(crate) count: u64,
    /// By how much that may be too high.
    pub(crate) error: u64,
}

/// How a node does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Health {
    /// The revision that decides; without one nothing can be decided.
    pub(crate) revision: Option<u64>,
    /// What is not as it should be, although decisions go on.
    pub(crate) degraded: Vec<Degraded>,
    /// What is as it should be and still worth knowing.
    pub(crate) notes: Vec<&'static str>,
}

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Degraded {
    /// In a word, for programs.
    pub(crate) what: &'static str,
    /// In a sentence, for people.
    pub(crate) detail: String,
}

impl Health {
    /// Counters are not shared between nodes without Redis (C3).
    pub(crate) const LOCAL_COUNTERS: &'static str =
        "counters are local to this node: without Redis every consistency mode counts here only";

    /// What the rules in force and the watcher tell.
    pub(crate) fn of(live: &Live, status: &WatchStatus) -> Self {
        let mut health = Self {
            revision: live.with_snapshot(tollgate_rules::Snapshot::revision),
            degraded: Vec::new(),
            notes: vec![Self::LOCAL_COUNTERS],
        };
        let in_force = status.in_force.map(|it| it.origin);
        if in_force == Some(Origin::LastGood) {
            let detail = "rules come from the last good copy on disk: the database has not been \
                          read since the start";
            health = health.with("last_good", detail);
        }
        if let Some(trouble) = &status.trouble {
            health = health.with("database", trouble.to_string());
        }
        if let Some(why) = &status.last_good {
            health = health.with("last_good_copy", why.clone());
        }
        health
    }

    /// With something more that is not as it should be, such as a rules file that is broken.
    #[must_use]
    pub(crate) fn with(mut self, what: &'static str, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        self.degraded.push(Degraded { what, detail });
        self
    }
}

impl fmt::Debug for AdminState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdminState")
            .field("node", &self.node)
            .field("door", &self.door)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Sources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sources")
    }
}
