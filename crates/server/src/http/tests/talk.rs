//! A conversation with a session, on virtual time.

use std::{
    mem,
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
};

use tollgate_core::ManualClock;
use tollgate_memory::MemoryStore;
use tollgate_rules::{Live, document};

use crate::{
    Fields, ResetAs, Token, Wording,
    authority::{Authority, Door},
    engine::{Engine, Time, at_once},
    gateway::ClientAddress,
    health::Condition,
    http::{HttpService, HttpSession},
    identity::Identifier,
    listen::{Peer, Session, Step, Then},
    rules::Shown,
    telemetry::{Complaints, Recorder},
};

/// A client and the session it speaks to.
pub(super) struct Talk {
    pub(super) clock: ManualClock,
    pub(super) live: Arc<Live>,
    pub(super) session: HttpSession,
    pub(super) service: Arc<HttpService>,
}

/// Where a client calls from unless it says otherwise.
const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

fn peer(address: IpAddr) -> Peer {
    Peer::direct((address, 40_000).into())
}

/// A token that is long enough.
pub(super) const TOKEN: &str = "0123456789abcdef";

impl Talk {
    /// Under these rules, the lines of a rules file without its version.
    pub(super) fn under(rules: &str) -> Self {
        Self::with(rules, Door::Loopback, None)
    }

    pub(super) fn with(rules: &str, door: Door, token: Option<&str>) -> Self {
        let wording = Wording { fields: Fields::Vendor, reset: ResetAs::Epoch };
        Self::new(rules, door, token, wording)
    }

    pub(super) fn worded(rules: &str, fields: Fields, reset: ResetAs) -> Self {
        Self::new(rules, Door::Loopback, None, Wording { fields, reset })
    }

    /// Before any rules were loaded.
    pub(super) fn without_rules() -> Self {
        Self::under("")
    }

    fn new(rules: &str, door: Door, token: Option<&str>, wording: Wording) -> Self {
        let clock = ManualClock::start();
        let time = Time::new(clock.clone());
        let live = Arc::new(Live::new());
        if !rules.is_empty() {
            let text = format!("version: 1\n{rules}");
            let reading = document::read("rules.yaml", &text);
            let document = reading.document.unwrap_or_else(|| panic!("{}", reading.report));
            live.publish(&document.rules, 7);
        }
        let store = MemoryStore::new(time.clone());
        let recorder = Arc::new(Recorder::default());
        let engine = Arc::new(Engine::new(Arc::clone(&live), store, time, recorder));
        let token = token.map(|token| Token::new(token).unwrap());
        let ready = Arc::clone(&live);
        let health = move || Condition {
            revision: ready.snapshot().map(|snapshot| snapshot.revision()),
            shown: Shown::Own,
            degraded: Vec::new(),
            warnings: Vec::new(),
            counting: crate::counting::Counting::Alone,
        };
        let service = Arc::new(HttpService {
            identifier: Arc::new(Identifier::plain(&engine)),
            engine,
            authority: Arc::new(Authority::new(token)),
            door,
            wording,
            body_bytes_max: 1 << 20,
            client_address: ClientAddress {
                proxies: "127.0.0.0/8, ::1, 10.0.0.0/8".parse().unwrap(),
                header: crate::ProxyHeader::XForwardedFor,
            },
            complaints: Complaints::default(),
            health: Arc::new(health),
        });
        Self { clock, live, session: HttpSession::new(Arc::clone(&service), peer(HERE)), service }
    }

    /// Another connection to the same server.
    pub(super) fn reconnect(&mut self) {
        self.reconnect_from(HERE);
    }

    /// Goes on over another connection; the one there was stays open as long as it is kept.
    pub(super) fn another(&mut self) -> HttpSession {
        let another = HttpSession::new(Arc::clone(&self.service), peer(HERE));
        mem::replace(&mut self.session, another)
    }

    /// The same from elsewhere.
    pub(super) fn reconnect_from(&mut self, from: impl Into<IpAddr>) {
        self.session = HttpSession::new(Arc::clone(&self.service), peer(from.into()));
    }

    /// Sends bytes at once; all of them must be taken.
    pub(super) fn say(&mut self, bytes: &[u8]) -> String {
        let (said, then) = self.say_all(bytes, bytes.len().max(1));
        assert_eq!(then, Then::Read, "{said}");
        said
    }

    /// Sends bytes after which the session ends the conversation.
    pub(super) fn say_last(&mut self, bytes: &[u8]) -> String {
        let (said, then) = self.say_all(bytes, bytes.len().max(1));
        assert_eq!(then, Then::Close, "{said}");
        said
    }

    /// Sends bytes in pieces of this size, and says how it ended.
    pub(super) fn say_all(&mut self, bytes: &[u8], piece: usize) -> (String, Then) {
        let mut said = Vec::new();
        let mut input = Vec::new();
        for piece in bytes.chunks(piece) {
            input.extend_from_slice(piece);
            loop {
                let mut output = Vec::new();
                let Step { taken, then, .. } =
                    at_once(self.session.advance(&input, &mut output)).unwrap();
                said.extend_from_slice(&output);
                input.drain(..taken);
                match then {
                    Then::Again => {}
                    Then::Read => break,
                    Then::Close => return (unnamed(&said), then),
                }
            }
        }
        (unnamed(&said), Then::Read)
    }

    /// Posts a body.
    pub(super) fn post(&mut self, path: &str, body: &str) -> String {
        self.say(&post(path, "", body))
    }
}

/// The bytes of a POST, with more headers.
pub(super) fn post(path: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("POST {path} HTTP/1.1\r\nHost: a\r\n{headers}Content-Length: {length}\r\n\r\n{body}")
        .into_bytes()
}

/// The status line, of which the status is the second word.
pub(super) fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}

/// What follows the head.
pub(super) fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").map_or("", |(_, body)| body)
}

/// A header of the first answer.
pub(super) fn header<'a>(answer: &'a str, name: &str) -> Option<&'a str> {
    let head = answer.split("\r\n\r\n").next()?;
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    lines.find_map(|(known, value)| (known == name).then_some(value))
}

/// The half of a decision's name that differs from run to run is zeroed.
pub(super) fn unnamed(bytes: &[u8]) -> String {
    let mut text = String::from_utf8(bytes.to_vec()).unwrap();
    for mark in ["\"decision_id\":\"", "Tollgate-Decision-Id: "] {
        let places: Vec<usize> = text.match_indices(mark).map(|(at, _)| at).collect();
        for at in places {
            let run = at + mark.len();
            text.replace_range(run..run + 16, "0000000000000000");
        }
    }
    text
}
