//! What the conversations of one listener share.

use std::sync::Arc;

use tollgate_core::Clock as _;
use tollgate_wire::http1::HEAD_BYTES_MAX;

use super::HttpSession;
use crate::{
    Wording,
    authority::{Authority, Door},
    engine::Engine,
    gateway::ClientAddress,
    health::Condition,
    identity::Identifier,
    listen::{Conversation, InputBudget, Peer, Serve, Stream, Terms},
    server::Parts,
    stop::Stop,
    telemetry::{Complaints, Protocol},
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

/// Serves connections over HTTP.
pub(crate) struct HttpServe {
    service: Arc<HttpService>,
    terms: Terms,
    budget: Arc<InputBudget>,
}

/// What chunks may add to a body: their sizes and ends.
const FRAMING_TIMES: usize = 2;

impl HttpServe {
    pub(crate) fn new(parts: &Parts) -> Self {
        let settings = &parts.settings;
        let health = parts.health.clone();
        let service = HttpService {
            engine: Arc::clone(&parts.engine),
            authority: Arc::clone(&parts.authority),
            identifier: Arc::clone(&parts.identifier),
            door: Door::of(settings.listen.http),
            wording: settings.wording,
            body_bytes_max: settings.timers.body_bytes_max,
            client_address: ClientAddress {
                proxies: settings.trusted_proxies.clone(),
                header: settings.client_address.clone(),
            },
            complaints: Complaints::default(),
            health: Arc::new(move || health.condition()),
        };
        let body_bytes_max = settings.timers.body_bytes_max;
        let input_bytes_max = HEAD_BYTES_MAX + body_bytes_max.saturating_mul(FRAMING_TIMES);
        let budget = InputBudget::new(
            Protocol::Http,
            settings.timers.unfinished_bytes_max,
            parts.engine.recorder(),
        );
        Self {
            service: Arc::new(service),
            budget,
            terms: Terms {
                idle: settings.timers.idle,
                ..Terms::new(Protocol::Http, &settings.timers, input_bytes_max)
            },
        }
    }
}

impl Serve for HttpServe {
    const PROTOCOL: Protocol = Protocol::Http;
    const FULL: &'static [u8] = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n\
        Connection: close\r\nContent-Length: 0\r\n\r\n";

    async fn serve(&self, stream: Stream, peer: Peer, stop: Stop) {
        let conversation = Conversation {
            stream,
            client: peer.address.ip(),
            session: HttpSession::new(Arc::clone(&self.service), peer),
            engine: &self.service.engine,
            terms: self.terms,
            budget: &self.budget,
        };
        conversation.run(stop).await;
    }
}
