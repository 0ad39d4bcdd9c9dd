//! What all connections of a proxy obey: who may come in, and which bytes may pass.

use std::{
    collections::BTreeMap,
    net::TcpStream,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::link::Link;

/// How many connections one proxy carries at a time, with two threads each.
pub const CONNECTIONS_MAX: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    doors: Doors,
    traffic: Traffic,
    /// By the number of the connection. One that is not here is cut.
    links: BTreeMap<u64, Entry>,
    links_ever: u64,
    replies_dropped: u64,
    /// While one in so many is lost.
    replies: u64,
}

#[derive(Debug)]
struct Entry {
    link: Arc<Link>,
    /// The end of what the client sent: the start of what we look for may be in it.
    sent: Vec<u8>,
    loses_reply: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doors {
    #[default]
    Accept,
    Refuse,
    /// The proxy is being dropped.
    Closed,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum Traffic {
    #[default]
    Flow,
    Stall,
    Mute,
    Slow(Duration),
    Crumble,
    DropReplies,
    DropReplyTo(Vec<u8>),
    LoseOneIn(u64),
    Halve,
    Replace(Arc<[u8]>),
}

impl Traffic {
    /// Whether bytes stay where they are.
    fn holds(&self, way: Way) -> bool {
        match self {
            Self::Stall => true,
            Self::Mute => way == Way::ToClient,
            _ => false,
        }
    }
}

/// Which way bytes go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    ToServer,
    ToClient,
}

/// What becomes of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fate {
    Pass,
    /// The first half arrives, then the connection is lost.
    Halve,
    /// These arrive instead.
    Replace(Arc<[u8]>),
    /// They arrive one by one.
    Crumble,
    /// They are lost, and so is the connection.
    Lost,
}

impl Gate {
    pub(super) fn set_doors(&self, doors: Doors) {
        self.state().doors = doors;
    }

    pub(super) fn set_traffic(&self, traffic: Traffic) {
        let mut state = self.state();
        state.traffic = traffic;
        for entry in state.links.values_mut() {
            entry.sent.clear();
        }
        self.changed.notify_all();
    }

    pub(super) fn cut(&self) {
        for entry in std::mem::take(&mut self.state().links).into_values() {
            entry.link.close();
        }
        self.changed.notify_all();
    }

    pub(super) fn close(&self) {
        self.set_doors(Doors::Closed);
        self.cut();
    }

    pub(super) fn is_closed(&self) -> bool {
        self.state().doors == Doors::Closed
    }

    /// `None` if nobody may come in; the connection ends with its stream. Decided before the server
    /// hears of it: who has reached the server has passed the doors, and can be cut.
    pub(super) fn admit(&self, client: TcpStream) -> Option<Arc<Link>> {
        let mut state = self.state();
        if state.doors != Doors::Accept || state.links.len() >= CONNECTIONS_MAX {
            return None;
        }
        state.links_ever += 1;
        let id = state.links_ever;
        let link = Arc::new(Link::new(id, client));
        let entry = Entry { link: Arc::clone(&link), sent: Vec::new(), loses_reply: false };
        state.links.insert(id, entry);
        Some(link)
    }

    /// Whether this connection is neither cut nor at its end.
    pub(super) fn knows(&self, link: u64) -> bool {
        self.state().links.contains_key(&link)
    }

    pub(super) fn forget(&self, link: u64) {
        self.state().links.remove(&link);
        self.changed.notify_all();
    }

    /// Waits while nothing moves, then says whether these bytes do. None at all stand for the end
    /// of what one side sends.
    pub(super) fn fate(&self, link: u64, way: Way, bytes: &[u8]) -> Fate {
        let is_held =
            |state: &mut State| state.traffic.holds(way) && state.links.contains_key(&link);
        let waited = self.changed.wait_while(self.state(), is_held);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        if let (Traffic::Slow(delay), Way::ToClient) = (&state.traffic, way) {
            let delay = *delay;
            let is_slow = |state: &mut State| {
                state.traffic == Traffic::Slow(delay) && state.links.contains_key(&link)
            };
            let waited = self.changed.wait_timeout_while(state, delay, is_slow);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        match way {
            Way::ToServer => state.request(link, bytes),
            Way::ToClient => state.reply(link, bytes),
        }
    }

    pub(super) fn replies_dropped(&self) -> u64 {
        self.state().replies_dropped
    }

    pub(super) fn connections(&self) -> usize {
        self.state().links.len()
    }

    /// No invariant spans two fields, so a panic elsewhere leaves nothing half done.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn request(&mut self, link: u64, bytes: &[u8]) -> Fate {
        let Some(entry) = self.links.get_mut(&link) else {
            return Fate::Lost;
        };
        if let Traffic::DropReplyTo(wanted) = &self.traffic {
            entry.sent.extend_from_slice(bytes);
            if entry.sent.windows(wanted.len()).any(|part| part == wanted) {
                entry.loses_reply = true;
                self.traffic = Traffic::Flow;
            } else {
                let old = entry.sent.len().saturating_sub(wanted.len() - 1);
                entry.sent.drain(..old);
            }
        }
        Fate::Pass
    }

    fn reply(&mut self, link: u64, bytes: &[u8]) -> Fate {
        let Some(entry) = self.links.get(&link) else {
            return Fate::Lost;
        };
        match &self.traffic {
            Traffic::DropReplies => {}
            _ if entry.loses_reply => {}
            _ if bytes.is_empty() => return Fate::Pass,
            Traffic::Crumble => return Fate::Crumble,
            Traffic::Halve => return Fate::Halve,
            Traffic::Replace(others) => return Fate::Replace(Arc::clone(others)),
            Traffic::LoseOneIn(many) => {
                self.replies += 1;
                if !self.replies.is_multiple_of(*many) {
                    return Fate::Pass;
                }
            }
            _ => return Fate::Pass,
        }
        // Counted before the client can see it.
        self.replies_dropped += u64::from(!bytes.is_empty());
        Fate::Lost
    }
}
