//! Connections over the Redis protocol.

use std::sync::Arc;

use tollgate_wire::resp::FRAME_BYTES_MAX;

use super::RespSession;
use crate::{
    authority::{Authority, Door},
    engine::Engine,
    identity::Identifier,
    listen::{Conversation, InputBudget, Peer, Serve, Stream, Terms},
    server::Parts,
    stop::Stop,
    telemetry::Protocol,
};

/// Serves connections over the Redis protocol.
#[derive(Debug)]
pub(crate) struct RespServe {
    engine: Arc<Engine>,
    authority: Arc<Authority>,
    identifier: Arc<Identifier>,
    door: Door,
    terms: Terms,
    budget: Arc<InputBudget>,
}

/// What may be read beyond a command: the beginning of the next.
const NEXT_BYTES_MAX: usize = 64 * 1024;

impl RespServe {
    pub(crate) fn new(parts: &Parts) -> Self {
        let settings = &parts.settings;
        let input_bytes_max = FRAME_BYTES_MAX + NEXT_BYTES_MAX;
        Self {
            engine: Arc::clone(&parts.engine),
            authority: Arc::clone(&parts.authority),
            identifier: Arc::clone(&parts.identifier),
            door: Door::of(settings.listen.resp),
            terms: Terms::new(Protocol::Resp, &settings.timers, input_bytes_max),
            budget: InputBudget::new(
                Protocol::Resp,
                settings.timers.unfinished_bytes_max,
                parts.engine.recorder(),
            ),
        }
    }
}

impl Serve for RespServe {
    const PROTOCOL: Protocol = Protocol::Resp;
    const FULL: &'static [u8] = b"-ERR max number of clients reached\r\n";

    async fn serve(&self, stream: Stream, peer: Peer, stop: Stop) {
        let (engine, authority) = (Arc::clone(&self.engine), Arc::clone(&self.authority));
        let identifier = Arc::clone(&self.identifier);
        let conversation = Conversation {
            stream,
            client: peer.address.ip(),
            session: RespSession::new(engine, authority, identifier, self.door).with(peer),
            engine: &self.engine,
            terms: self.terms,
            budget: &self.budget,
        };
        conversation.run(stop).await;
    }
}
