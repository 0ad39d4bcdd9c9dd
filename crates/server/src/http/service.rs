//! What the conversations of one listener share.

use std::sync::Arc;

use tollgate_core::Clock as _;

use crate::{
    Wording,
    authority::{Authority, Door},
    engine::Engine,
    gateway::ClientAddress,
    health::Condition,
    identity::Identifier,
    telemetry::Complaints,
};

/// Everything a conversation over HTTP needs.
pub(crate) struct HttpService {
    /// Who decides.
    pub(crate) engine: Arc<Engine>,
    /// Who may do what.
    pub(crate) authority: Arc<Authority>,
    /// Who asks.
    pub(crate) identifier: Arc<Identifier>,
    /// Where the listener can be reached from.
    pub(crate) door: Door,
    /// How answers are worded.
    pub(crate) wording: Wording,
    /// The bytes of a request's body.
    pub(crate) body_bytes_max: usize,
    /// Whose address counts.
    pub(crate) client_address: ClientAddress,
    /// Keeps complaints about gateways from flooding the log.
    pub(crate) complaints: Complaints,
    /// How the node fares.
    pub(crate) health: Arc<dyn Fn() -> Condition + Send + Sync>,
}

impl HttpService {
    pub(crate) fn now(&self) -> tollgate_core::Timestamp {
        self.engine.time().now().wall
    }
}
