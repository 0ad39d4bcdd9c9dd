//! Whether decisions can be made, and what is not as it should be.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::watch;
use tollgate_catalog::{Origin, WatchStatus};
use tollgate_core::{Clock as _, SystemClock};
use tollgate_rules::Snapshot;

use crate::{
    counting::Counting,
    engine::Engine,
    identity::KeysStanding,
    rules::{FileStatus, Publisher, Shown},
    telemetry::Overflow,
    tls::Standings,
};

/// What the parts of a server say of themselves.
#[derive(Clone, Debug)]
pub(crate) struct Health {
    pub(crate) publisher: Arc<Publisher>,
    pub(crate) catalog: watch::Receiver<WatchStatus>,
    /// Of a rules file, if one owns the rules.
    pub(crate) file: Option<watch::Receiver<FileStatus>>,
    pub(crate) certificates: Standings,
    /// Of the keys that tokens are verified with.
    pub(crate) jwt_keys: KeysStanding,
    pub(crate) engine: Arc<Engine>,
}

/// How a server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Condition {
    /// The revision that decides; without one nothing can be decided.
    pub(crate) revision: Option<u64>,
    /// Whether the rules are the demonstration's.
    pub(crate) shown: Shown,
    /// What somebody should look at.
    pub(crate) degraded: Vec<String>,
    /// What works as set and may not be what was meant.
    pub(crate) warnings: Vec<String>,
    /// Where counters are.
    pub(crate) counting: Counting,
}

impl Health {
    pub(crate) fn condition(&self) -> Condition {
        let status = self.catalog.borrow().clone();
        let mut degraded = Vec::new();
        if let Some(trouble) = &status.trouble {
            degraded.push(format!("rule database: {trouble}"));
        }
        if let Some(trouble) = &status.last_good {
            degraded.push(format!("last good copy: {trouble}"));
        }
        let is_copy = |in_force: tollgate_catalog::InForce| in_force.origin == Origin::LastGood;
        if status.in_force.is_some_and(is_copy) {
            let why = "the rules in force are the last good copy on disk";
            degraded.push(why.to_owned());
        }
        if let Some(file) = &self.file
            && let Some(trouble) = &file.borrow().trouble
        {
            degraded.push(trouble.clone());
        }
        let now_s = SystemClock.now().wall.as_micros() / 1_000_000;
        degraded.extend(self.certificates.troubles(now_s));
        degraded.extend(self.jwt_keys.trouble());
        if let Some(fleet) = self.engine.fleet() {
            degraded.extend(fleet.troubles(self.engine.live()));
        }
        let overflows = self.engine.recorder().overflows();
        let unreliable = overflows.iter().filter(|it| it.is_unreliable);
        degraded.extend(unreliable.map(Overflow::in_words));
        Condition {
            warnings: self.warnings(),
            revision: status.revision().map(|revision| revision.get()),
            shown: self.publisher.shown(),
            degraded,
            counting: self.engine.counting(),
        }
    }
}

impl Health {
    /// What works as set and may not be what was meant.
    fn warnings(&self) -> Vec<String> {
        let overflows = self.engine.recorder().overflows();
        let reliable = overflows.iter().filter(|it| !it.is_unreliable);
        let mut warnings: Vec<String> = reliable.map(Overflow::in_words).collect();
        let has_none = |snapshot: &Snapshot| snapshot.deciding().next().is_none();
        if self.engine.live().with_snapshot(has_none) != Some(true) {
            return warnings;
        }
        let remedy = match &self.file {
            Some(_) => "write rules into the rules file",
            None => "write rules with `tollgate rules apply FILE`",
        };
        warnings.push(format!("no rules are in force: every request passes; {remedy}"));
        warnings
    }
}

impl Condition {
    /// Whether decisions can be made.
    pub(crate) const fn is_ready(&self) -> bool {
        self.revision.is_some()
    }

    /// The status of `/readyz`.
    pub(crate) const fn status(&self) -> u16 {
        if self.is_ready() { 200 } else { 503 }
    }

    /// For `/readyz`.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "ready": self.is_ready(),
            "revision": self.revision,
            "demo": self.shown == Shown::Demo,
            "degraded": self.degraded,
            "warnings": self.warnings,
            "counting": self.counting.words(),
        })
    }
}
