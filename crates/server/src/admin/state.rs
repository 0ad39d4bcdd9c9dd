//! What the admin side works on.

use std::{fmt, sync::Arc};

use tollgate_catalog::{Catalog, NodeId};

use crate::{
    authority::{Authority, Door},
    config::{Administrators, Approvals, Listeners, OverrideBounds, Owner, Redis},
    engine::Engine,
    health::Condition,
    identity::{Identifier, KeyHasher},
    listen::InputBudget,
    server::Parts,
    telemetry::Protocol,
};

/// Where a server listens and what it is connected to, without passwords.
#[derive(Clone, Debug)]
pub(super) struct Connections {
    pub(super) listeners: Listeners,
    pub(super) database: String,
    pub(super) redis: Option<String>,
}

/// Everything the admin side needs.
pub(super) struct AdminState {
    /// Decisions, counters, metrics and the busiest keys.
    pub(super) engine: Arc<Engine>,
    /// Rules, revisions, overrides, nodes.
    pub(super) catalog: Catalog,
    /// Who may do what.
    pub(super) authority: Arc<Authority>,
    /// Where the listener can be reached from.
    pub(super) door: Door,
    /// Whose certificate lets them in.
    pub(super) administrators: Administrators,
    /// Reads tokens and API keys as clients show them.
    pub(super) identifier: Arc<Identifier>,
    /// Hashes API keys.
    pub(super) hasher: Arc<KeyHasher>,
    /// Whether a change of rules waits for somebody else.
    pub(super) approvals: Approvals,
    /// How far those may go who make exceptions for a while.
    pub(super) bounds: OverrideBounds,
    /// Who writes the rules.
    pub(super) owner: Owner,
    /// Names besides `localhost` and addresses that a loopback listener answers to.
    pub(super) hosts: Vec<String>,
    /// This node.
    pub(super) node: NodeId,
    /// Its region.
    pub(super) region: String,
    /// Where it listens and what it is connected to.
    pub(super) connections: Connections,
    /// What requests that have not arrived whole may hold.
    pub(super) budget: Arc<InputBudget>,
    /// How the server is right now.
    pub(super) condition: Box<dyn Fn() -> Condition + Send + Sync>,
}

impl AdminState {
    /// Over the parts of a server.
    pub(super) fn new(parts: &Parts) -> Self {
        let settings = &parts.settings;
        let health = parts.health.clone();
        Self {
            engine: Arc::clone(&parts.engine),
            catalog: parts.catalog.clone(),
            authority: Arc::clone(&parts.authority),
            door: Door::of(settings.listen.admin),
            administrators: settings.tls.administrators,
            identifier: Arc::clone(&parts.identifier),
            hasher: Arc::clone(&parts.hasher),
            approvals: settings.admin_rules.approvals,
            bounds: settings.admin_rules.overrides,
            owner: settings.owner.clone(),
            hosts: Vec::new(),
            node: settings.node.clone(),
            region: settings.region.clone(),
            connections: Connections {
                listeners: settings.listen,
                database: settings.database.to_string(),
                redis: settings.redis.as_ref().map(Redis::shown),
            },
            budget: InputBudget::new(
                Protocol::Admin,
                settings.timers.unfinished_bytes_max,
                parts.engine.recorder(),
            ),
            condition: Box::new(move || health.condition()),
        }
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
