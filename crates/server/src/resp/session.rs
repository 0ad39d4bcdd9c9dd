//! One conversation.

use std::sync::Arc;

use smallvec::SmallVec;
use tollgate_wire::resp::{Decoded, Decoder, Encoder, FRAME_BYTES_MAX, ProtocolError};

use super::{
    client::Client,
    convert, facts,
    facts::{Asked, Verb},
    hello::Gatekeeper,
    run::{After, Desk},
};
use crate::{
    authority::{Authority, Door},
    engine::{Answer, Ask, Engine, Refusal, UNDER_WAY_MAX},
    identity::{Identifier, Kept, Refused, Trust},
    listen::{
        Conversation, InputBudget, OUTPUT_BYTES_HIGH, Peer, Serve, Session, Step, Stream, Terms,
        Then,
    },
    server::Parts,
    stop::Stop,
    telemetry::{Protocol, Turned},
};

/// One client of the Redis protocol.
#[derive(Debug)]
pub(crate) struct RespSession {
    engine: Arc<Engine>,
    authority: Arc<Authority>,
    identifier: Arc<Identifier>,
    door: Door,
    name: Option<Arc<str>>,
    decoder: Decoder,
    client: Client,
    is_winding_down: bool,
}

/// Commands that are answered before others have a turn; one that walks through the counters is as much
/// as all of these.
const EFFORT_MAX: usize = 4_096;

/// A command that may show a token, where tokens are verified: so many checks could be decided meanwhile.
const TOKEN_EFFORT: usize = 16;
/// One whose token is not believed: that is never remembered, so the next one costs as much.
const UNBELIEVED_EFFORT: usize = 64;

/// How much a command is that may show a token to whoever is named.
fn effort_of(verb: Option<Verb>, shown_to: Option<&Identifier>) -> usize {
    match verb {
        Some(Verb::Info) => EFFORT_MAX,
        _ if shown_to.is_some_and(Identifier::verifies) => TOKEN_EFFORT,
        _ => 1,
    }
}

impl RespSession {
    pub(crate) fn new(
        engine: Arc<Engine>,
        authority: Arc<Authority>,
        identifier: Arc<Identifier>,
        door: Door,
    ) -> Self {
        let trust = match door {
            Door::Loopback => Trust::Loopback,
            Door::Open => Trust::Stranger,
        };
        Self {
            engine,
            authority,
            identifier,
            door,
            name: None,
            decoder: Decoder::new(),
            client: Client::new(trust),
            is_winding_down: false,
        }
    }

    /// With somebody of whom this is known.
    pub(crate) fn with(mut self, peer: Peer) -> Self {
        self.name = peer.name.clone();
        self.door = peer.door(self.door);
        self.client.trust = self.identifier.trust(&peer);
        self.client.peer = Some(peer);
        self
    }
}

/// What is no command ends the conversation.
fn garbled(desk: &Desk<'_>, error: &ProtocolError, output: &mut Vec<u8>) {
    let recorder = desk.engine.recorder();
    recorder.turned_away(Protocol::Resp, Turned::Bad);
    let mut reply = Encoder::new(output, desk.client.version);
    reply.error(&format!("ERR {error}"));
}

impl Session for RespSession {
    async fn advance(&mut self, input: &[u8], output: &mut Vec<u8>) -> Step {
        let mut desk = Desk {
            engine: &self.engine,
            gatekeeper: Gatekeeper {
                authority: &self.authority,
                door: self.door,
                name: self.name.as_deref(),
            },
            identifier: &self.identifier,
            client: &mut self.client,
        };
        let (mut taken, mut answered, mut effort) = (0, 0, 0);
        let (kept, mut checks) = (Kept::default(), Checks::new());
        let mut end = &kept;
        let then = loop {
            if output.len() >= OUTPUT_BYTES_HIGH || effort >= EFFORT_MAX {
                break Then::Again;
            }
            let command = match self.decoder.decode(input.get(taken..).unwrap_or_default()) {
                Ok(Decoded::Command(command)) => command,
                Ok(Decoded::Empty { taken: more }) => {
                    taken += more;
                    continue;
                }
                Ok(Decoded::Unfinished) => match self.is_winding_down && taken == input.len() {
                    true => break Then::Close,
                    false => break Then::Read,
                },
                Err(error) => {
                    checks.answer(&desk, output).await;
                    garbled(&desk, &error, output);
                    taken = input.len();
                    break Then::Close;
                }
            };
            taken += command.taken();
            answered += 1;
            let verb = Verb::of(command.name());
            if let Some(check) = verb.filter(|verb| verb.is_check())
                && let Some(words) = command.args_in_input()
                && let Ok(mut asked) = facts::read(check, words)
            {
                effort += effort_of(verb, asked.stated.token.map(|_| desk.identifier));
                if let Err(refused) = identified(&desk, &mut asked, &mut end) {
                    effort += UNBELIEVED_EFFORT;
                    checks.answer(&desk, output).await;
                    desk.unbelieved(&refused, output);
                    continue;
                }
                checks.push(asked.ask);
                if checks.is_full(desk.engine) {
                    checks.answer(&desk, output).await;
                }
                continue;
            }
            checks.answer(&desk, output).await;
            effort += effort_of(verb, Some(desk.identifier));
            if desk.run(verb, &command, output).await == After::End {
                break Then::Close;
            }
        };
        checks.answer(&desk, output).await;
        Step::new(taken, answered, then)
    }

    fn is_idle(&self) -> bool {
        !self.decoder.is_within_a_command()
    }

    fn wind_down(&mut self) {
        self.is_winding_down = true;
    }

    fn input_bytes(&self) -> usize {
        self.decoder.capacity()
    }

    fn release_input(&mut self) {
        self.decoder = Decoder::new();
    }

    fn no_room(&mut self, output: &mut Vec<u8>) {
        let mut reply = Encoder::new(output, self.client.version);
        reply.error("ERR no room for the rest of the command: other commands that have not arrived whole hold all there is");
    }

    /// Whoever waits for an answer gets one; to whoever does not, it would look like the answer to the
    /// next command.
    fn too_slow(&mut self, output: &mut Vec<u8>) {
        if self.decoder.is_within_a_command() {
            let mut reply = Encoder::new(output, self.client.version);
            reply.error("ERR Protocol error: the command did not arrive in time");
        }
    }
}

/// Finds out who asks; the question borrows what was proven from the list.
#[inline]
fn identified<'k>(
    desk: &Desk<'_>,
    asked: &mut Asked<'k>,
    end: &mut &'k Kept,
) -> Result<(), Refused> {
    let identity = desk.identify(&asked.stated)?;
    identity.restrict(&mut asked.ask.query);
    if !identity.is_nobody() {
        let identity = Kept::keep(end, identity);
        // It cannot fail: what was proven was looked at when it was.
        drop(identity.fill(&mut asked.ask.query));
    }
    Ok(())
}

/// How many are gathered before they are decided. The gate takes as many at a time, and counters that are
/// waited for more.
const GATHERED_MAX: usize = 16;

/// Checks that were read and not answered yet.
#[derive(Debug)]
pub(super) struct Checks<'i> {
    asks: SmallVec<[Ask<'i>; GATHERED_MAX]>,
}

impl<'i> Checks<'i> {
    pub(super) fn new() -> Self {
        Self { asks: SmallVec::new() }
    }

    pub(super) fn push(&mut self, ask: Ask<'i>) {
        self.asks.push(ask);
    }

    pub(super) fn is_full(&self, engine: &Engine) -> bool {
        let most = if engine.waits() { UNDER_WAY_MAX } else { GATHERED_MAX };
        self.asks.len() >= most
    }

    /// Decides what was gathered and writes the answers, in order.
    pub(super) async fn answer(&mut self, desk: &Desk<'_>, output: &mut Vec<u8>) {
        let engine = desk.engine;
        if self.asks.is_empty() {
            return;
        }
        let mut reply = Encoder::new(output, desk.client.version);
        let mut asks = self.asks.iter();
        let answered = engine.check_all(&self.asks, |answer| {
            if let Some(ask) = asks.next() {
                write(&mut reply, desk, ask, answer);
            }
        });
        answered.await;
        self.asks.clear();
    }
}

/// Writes what came of a check.
#[inline]
pub(super) fn write(
    reply: &mut Encoder<'_>,
    desk: &Desk<'_>,
    ask: &Ask<'_>,
    answer: Result<Answer, Refusal>,
) {
    let engine = desk.engine;
    match answer {
        Ok(answer) if ask.query.is_told_in_full() => {
            let callers = || engine.recorder().callers().told();
            let callers = desk.may_state().then(callers);
            convert::in_full(reply, &answer, callers);
        }
        Ok(answer) => convert::ruling(reply, &answer.ruling),
        Err(refusal) => {
            turned_away(engine, &refusal);
            convert::refusal(reply, &refusal);
        }
    }
}

/// Counts those who found no rules at all.
pub(super) fn turned_away(engine: &Engine, refusal: &Refusal) {
    if *refusal == Refusal::NoSnapshot {
        let recorder = engine.recorder();
        recorder.turned_away(Protocol::Resp, Turned::NoSnapshot);
    }
}

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
