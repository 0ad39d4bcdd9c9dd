//! A session over rules, with a clock that is moved by hand.

use std::sync::Arc;

use tollgate_core::ManualClock;
use tollgate_memory::{CellStore, MemoryStore};
use tollgate_rules::{Live, RuleSet};

use crate::{
    authority::{Authority, Door, Token},
    engine::{Engine, Time, at_once},
    identity::Identifier,
    listen::{Session as _, Step, Then},
    resp::RespSession,
    telemetry::Recorder,
};

pub(super) const RULES: &str = "
version: 1
rules:
  - { name: login, match: { endpoint: /login }, key: [user], limit: 2/min }
  - { name: trial, match: { attributes: { plan: trial } }, key: [user], limit: 1/day }
  - { name: search, match: { endpoint: /search }, key: [], limit: 100/min }
  - { name: pair, match: { endpoint: /pair }, key: [user], limit: 5/min }
  - { name: pair-day, match: { endpoint: /pair }, key: [user], limit: 3/day }
  - { name: closed, match: { endpoint: /closed }, action: block }
";
pub(super) const TOKEN: &str = "0123456789abcdef";

/// Everything behind a session.
pub(super) struct Rig {
    pub(super) clock: ManualClock,
    pub(super) engine: Arc<Engine>,
    pub(super) authority: Arc<Authority>,
    identifier: Arc<Identifier>,
    door: Door,
}

impl Rig {
    /// On loopback, without a token.
    pub(super) fn new() -> Self {
        Self::with(Some(RULES), None, Door::Loopback)
    }

    pub(super) fn with(rules: Option<&str>, token: Option<&str>, door: Door) -> Self {
        let clock = ManualClock::start();
        let time = Time::new(clock.clone());
        let live = Arc::new(Live::new());
        if let Some(rules) = rules {
            live.publish(&rules.parse::<RuleSet>().unwrap(), 7);
        }
        let store = MemoryStore::with_capacity(1_000, time.clone());
        let cells = CellStore::with_capacity(1_000, time.clone());
        let recorder = Arc::new(Recorder::default());
        let engine = Arc::new(Engine::new(live, store, time, recorder).with_cells(cells));
        Self {
            clock,
            identifier: Arc::new(Identifier::plain(&engine)),
            engine,
            authority: Arc::new(Authority::new(token.and_then(Token::new))),
            door,
        }
    }

    pub(super) fn session(&self) -> RespSession {
        let (engine, authority) = (Arc::clone(&self.engine), Arc::clone(&self.authority));
        let identifier = Arc::clone(&self.identifier);
        RespSession::new(engine, authority, identifier, self.door)
    }

    /// What a new client hears.
    pub(super) fn hears(&self, input: &str) -> String {
        say(&mut self.session(), input)
    }
}

/// Says it all at once, and returns what was answered. All of it must be taken.
pub(super) fn say(session: &mut RespSession, input: &str) -> String {
    let mut output = Vec::new();
    let step = advance(session, input.as_bytes(), &mut output);
    assert_eq!(step.taken, input.len(), "{input:?}");
    String::from_utf8(output).unwrap()
}

pub(super) fn advance(session: &mut RespSession, input: &[u8], output: &mut Vec<u8>) -> Step {
    at_once(session.advance(input, output)).unwrap()
}

/// Says it in pieces, as a connection would, until the session closes.
pub(super) fn say_in_pieces(session: &mut RespSession, pieces: &[&[u8]]) -> (Vec<u8>, Then) {
    let (mut input, mut output) = (Vec::new(), Vec::new());
    let mut then = Then::Read;
    for piece in pieces {
        input.extend_from_slice(piece);
        loop {
            let step = at_once(session.advance(&input, &mut output)).unwrap();
            input.drain(..step.taken);
            then = step.then;
            if then != Then::Again {
                break;
            }
        }
        if then == Then::Close {
            break;
        }
    }
    (output, then)
}

/// A command as clients send it.
pub(super) fn bulks(words: &str) -> String {
    let words: Vec<&str> = words.split(' ').collect();
    let mut frame = format!("*{}\r\n", words.len());
    for word in words {
        frame += &format!("${}\r\n{word}\r\n", word.len());
    }
    frame
}

/// Whether the reply begins with these numbers.
pub(super) fn numbers(reply: &str) -> Vec<i64> {
    let lines = reply.split("\r\n").filter_map(|line| line.strip_prefix(':'));
    lines.map(|number| number.parse().unwrap()).collect()
}
