//! Every command but a check that waits for its neighbours.

use std::str;

use tollgate::Action;
use tollgate_memory::Throttle;
use tollgate_wire::resp::{Command, Encoder};

use super::{
    catalog,
    client::{Client, integer},
    convert, describe, facts,
    facts::Verb,
    hello,
    hello::Gatekeeper,
    session,
};
use crate::{
    authority::Actor,
    engine::{CounterOp, Engine},
    identity::{Distrust, Identifier, Identity, Refused, Sender, Standing, Stated},
    record::{Counters, Tried},
};

/// How the conversation goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    /// It does.
    On,
    /// It ends.
    End,
}

/// What a command may use.
pub(super) struct Desk<'a> {
    pub(super) engine: &'a Engine,
    pub(super) gatekeeper: Gatekeeper<'a>,
    pub(super) identifier: &'a Identifier,
    pub(super) client: &'a mut Client,
}

/// The most bytes of a command and of its arguments in an error, as in Redis.
const SHOWN_BYTES_MAX: usize = 128;

/// What somebody is told who names itself and is nobody's caller: it could make the others' shares as small as it likes.
const STRANGER: &str = "FORBIDDEN not-trusted: only callers that may say for whom they ask are counted; list this \
    address in trusted_callers, or show a token or a certificate";

const REFUND: Tried = Tried { action: "counter.refund", command: "TG.REFUND" };
const RESET: Tried = Tried { action: "counter.reset", command: "TG.RESET" };

impl Desk<'_> {
    /// Who asks.
    #[inline]
    pub(super) fn identify(&self, stated: &Stated<'_>) -> Result<Identity, Refused> {
        self.identifier.identify(stated, self.standing())
    }

    /// What the caller may state.
    fn standing(&self) -> Standing {
        let peer = self.client.peer.as_ref();
        let address = peer.map(|peer| peer.address.ip());
        Standing::of(self.stranger(), address, address)
    }

    /// Whether whoever asks may say for whom.
    pub(super) fn may_state(&self) -> bool {
        self.stranger().is_none()
    }

    fn stranger(&self) -> Option<Distrust> {
        let Client { trust, token, .. } = &*self.client;
        let authority = self.gatekeeper.authority;
        trust.stranger(Sender::PLAIN, authority, token.as_deref())
    }

    /// Tells somebody that it is not believed.
    pub(super) fn unbelieved(&self, refused: &Refused, output: &mut Vec<u8>) {
        let mut reply = Encoder::new(output, self.client.version);
        convert::unbelieved(&mut reply, refused);
    }

    /// Answers one command.
    #[inline]
    pub(super) async fn run(
        &mut self,
        verb: Option<Verb>,
        command: &Command<'_, '_>,
        output: &mut Vec<u8>,
    ) -> After {
        let mut reply = Encoder::new(output, self.client.version);
        match verb {
            Some(Verb::Throttle) => answer(self.engine, command, &mut reply),
            Some(verb) if verb.takes(command.args_len()) => {
                return self.answer(verb, command, output).await;
            }
            Some(verb) => {
                let name = verb.name();
                reply.error(&format!("ERR wrong number of arguments for '{name}' command"));
            }
            // A browser that was talked into sending its request here must not get further.
            None if is_of_http(command.name()) => return After::End,
            None => reply.error(&unknown(command)),
        }
        After::On
    }

    async fn answer(
        &mut self,
        verb: Verb,
        command: &Command<'_, '_>,
        output: &mut Vec<u8>,
    ) -> After {
        let mut reply = Encoder::new(output, self.client.version);
        let first = command.arg(0);
        match (verb, first) {
            (Verb::Throttle, _) => answer(self.engine, command, &mut reply),
            (Verb::Check | Verb::Decide | Verb::Peek | Verb::Refund | Verb::ResetCounters, _) => {
                self.decide(verb, command, &mut reply).await;
            }
            (Verb::Caller, name) => self.register(name.unwrap_or_default(), &mut reply),
            (Verb::Ping, None) => reply.simple("PONG"),
            (Verb::Ping, Some(_)) if command.args_len() > 1 => {
                reply.error("ERR wrong number of arguments for 'ping' command");
            }
            (Verb::Ping | Verb::Echo, text) => reply.bulk(text.unwrap_or_default()),
            (Verb::Hello, _) => hello::hello(self.gatekeeper, self.client, command, output),
            (Verb::Auth, _) => hello::auth(self.gatekeeper, self.client, command, &mut reply),
            (Verb::Quit, _) => {
                reply.simple("OK");
                return After::End;
            }
            (Verb::Reset, _) => {
                self.client.reset();
                reply.simple("RESET");
            }
            (Verb::Select, Some(b"0")) => reply.simple("OK"),
            (Verb::Select, _) => reply.error("ERR DB index is out of range"),
            (Verb::Client, _) => self.client.answer(command, &mut reply),
            (Verb::Command, _) => catalog::answer(command, &mut reply),
            (Verb::Info, _) => describe::info(self.engine, command, &mut reply),
            (Verb::Config, _) => describe::config(command, &mut reply),
        }
        After::On
    }

    /// `TG.CALLER`.
    fn register(&mut self, name: &[u8], reply: &mut Encoder<'_>) {
        if !self.may_state() {
            return reply.error(STRANGER);
        }
        let callers = self.engine.recorder().callers();
        match callers.register(&mut self.client.registered, name) {
            Ok(()) => reply.integer(integer(callers.told())),
            Err(error) => reply.error(&format!("ERR {error}")),
        }
    }

    /// `TG.*`, one by itself.
    async fn decide(&self, verb: Verb, command: &Command<'_, '_>, reply: &mut Encoder<'_>) {
        // The question borrows from it, so it is there before and after.
        let identity;
        let mut asked = match facts::read(verb, command.args()) {
            Ok(asked) => asked,
            Err(error) => return reply.error(&format!("ERR {error}")),
        };
        let mut actor = None;
        let tried = match verb {
            Verb::Refund => Some(REFUND),
            Verb::ResetCounters => Some(RESET),
            _ => None,
        };
        if let Some(tried) = tried {
            match self.gatekeeper.lets(self.client, tried) {
                Ok(known) => actor = Some(known),
                Err(refused) => return convert::refused(reply, refused),
            }
        }
        identity = match self.identify(&asked.stated) {
            Ok(identity) => identity,
            Err(refused) => return convert::unbelieved(reply, &refused),
        };
        if let Err(error) = identity.fill(&mut asked.ask.query) {
            return reply.error(&format!("ERR {error}"));
        }
        identity.restrict(&mut asked.ask.query);
        let action = match verb {
            Verb::Peek => Action::Peek,
            Verb::Refund => Action::Refund,
            Verb::ResetCounters => Action::Reset,
            _ => return self.check(&asked, reply).await,
        };
        let rule = asked.rule;
        match self.engine.inspect(CounterOp { action, rule }, &asked.ask).await {
            Ok(answer) => {
                if let (Action::Reset, Some(actor)) = (action, &actor) {
                    self.put_on_record(actor, Counters::of(&asked.ask.query, rule));
                }
                convert::ruling(reply, &answer.ruling);
            }
            Err(refusal) => {
                session::turned_away(self.engine, &refusal);
                convert::refusal(reply, &refusal);
            }
        }
    }

    fn put_on_record(&self, actor: &Actor, counters: Counters) {
        let record = self.gatekeeper.authority.record();
        record.reset_by(actor, self.client.from(), counters);
    }

    async fn check(&self, asked: &facts::Asked<'_>, reply: &mut Encoder<'_>) {
        let answer = self.engine.check(&asked.ask).await;
        session::write(reply, self, &asked.ask, answer);
    }
}

/// The first word of a line of HTTP, which Redis does not answer either.
fn is_of_http(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"POST") || name.eq_ignore_ascii_case(b"Host:")
}

/// In the words of Redis.
fn unknown(command: &Command<'_, '_>) -> String {
    let cut = |bytes: &[u8], max: usize| {
        let bytes = bytes.get(..max).unwrap_or(bytes);
        String::from_utf8_lossy(bytes).into_owned()
    };
    let mut shown = String::new();
    for arg in command.args() {
        let Some(left) = SHOWN_BYTES_MAX.checked_sub(shown.len()).filter(|left| *left > 0) else {
            break;
        };
        shown.push('\'');
        shown.push_str(&cut(arg, left));
        shown.push_str("' ");
    }
    let name = cut(command.name(), SHOWN_BYTES_MAX);
    format!("ERR unknown command '{name}', with args beginning with: {shown}")
}

/// What redis-cell writes before every error of its own.
const CELL_ERROR: &str = "Cell error: Store error:";
const USAGE: &str = "Usage: cl.throttle <key> <max_burst> <count per period> <period> [<quantity>]";

pub(super) fn answer(engine: &Engine, command: &Command<'_, '_>, reply: &mut Encoder<'_>) {
    match asked(command) {
        Ok((key, ask)) => match engine.throttle(key, ask) {
            Ok(answer) => convert::throttled(reply, &answer),
            Err(error) => reply.error(&format!("{CELL_ERROR} {error}")),
        },
        Err(error) => reply.error(&format!("{CELL_ERROR} {error}")),
    }
}

fn asked<'d>(command: &Command<'d, '_>) -> Result<(&'d [u8], Throttle), String> {
    let words = (command.arg(0), command.arg(1), command.arg(2), command.arg(3));
    let (Some(key), Some(max_burst), Some(count), Some(period)) = words else {
        return Err(USAGE.to_owned());
    };
    if command.args_len() > 5 {
        return Err(USAGE.to_owned());
    }
    let ask = Throttle {
        max_burst: number(max_burst)?,
        count: number(count)?,
        period_s: number(period)?,
        quantity: command.arg(4).map_or(Ok(1), number)?,
    };
    Ok((key, ask))
}

#[inline]
fn number(text: &[u8]) -> Result<i64, String> {
    if let Some(number) = short(text) {
        return Ok(number);
    }
    let number = str::from_utf8(text).ok().and_then(|text| text.parse().ok());
    number.ok_or_else(|| {
        let text = text.get(..SHOWN_BYTES_MAX).unwrap_or(text);
        format!("Couldn't parse as integer: {}", String::from_utf8_lossy(text))
    })
}

/// A number of a few digits, which nearly all of them are.
#[inline]
fn short(text: &[u8]) -> Option<i64> {
    if text.is_empty() || text.len() > 9 {
        return None;
    }
    text.iter().try_fold(0_i64, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| i64::from(byte - b'0'))?;
        Some(number * 10 + digit)
    })
}
