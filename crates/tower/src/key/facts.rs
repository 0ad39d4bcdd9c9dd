//! What keys have read.

use std::{borrow::Cow, fmt, fmt::Write as _, net::IpAddr};

use smallvec::SmallVec;
use tollgate_wire::forwarded::UnreadableClient;

use super::{IpText, Key, Role};
use crate::RequestHead;

/// What keys have read from one request. A [`Key`](crate::Key) of your own adds one fact, or that it is missing:
///
/// ```
/// use tollgate_tower::{Facts, Key, RequestHead, Role};
///
/// #[derive(Clone)]
/// struct Tenant;
///
/// impl Key for Tenant {
///     fn read<'r>(&'r self, head: &RequestHead<'r>, facts: &mut Facts<'r>) {
///         let host = head.header("host").and_then(|host| host.split_once('.'));
///         facts.add(&Role::Org, host.map(|(tenant, _)| tenant.into()));
///     }
/// }
/// ```
///
/// To show them for debugging shows that a text is there, and not what it says: it may be a secret.
#[derive(Clone, Debug, Default)]
pub struct Facts<'r> {
    read: SmallVec<[Fact<'r>; 2]>,
    /// Whether it is known who called, if a key asked for that.
    peer: Peer,
}

/// Whether it is known who called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Peer {
    /// Or no key asked.
    #[default]
    Known,
    Unknown,
    /// A proxy called, and names no client that can be read.
    Unreadable(UnreadableClient),
}

/// One of them.
#[derive(Clone, Debug)]
pub(crate) struct Fact<'r> {
    pub(crate) role: &'r Role,
    /// Which of several alternatives it came by.
    pub(crate) way: u16,
    pub(crate) value: Option<Value<'r>>,
}

/// What was read.
#[derive(Clone)]
pub(crate) enum Value<'r> {
    Text(Cow<'r, str>),
    Ip(IpAddr),
}

/// Only that a text is there: it can be an API key, a token, or a header of which nobody knows what it holds.
impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(_) => f.write_str("Text(..)"),
            Self::Ip(ip) => f.debug_tuple("Ip").field(ip).finish(),
        }
    }
}

impl<'r> Facts<'r> {
    /// Adds a fact, or that it is missing. A text of blanks only is missing.
    pub fn add(&mut self, role: &'r Role, text: Option<Cow<'r, str>>) {
        let text = text.map(|text| match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.trim_ascii()),
            Cow::Owned(text) if text.trim_ascii().len() == text.len() => Cow::Owned(text),
            Cow::Owned(text) => Cow::Owned(text.trim_ascii().to_owned()),
        });
        let value = text.filter(|text| !text.is_empty()).map(Value::Text);
        self.push(role, value);
    }

    /// Adds an address, or that it is missing.
    pub fn add_ip(&mut self, role: &'r Role, ip: Option<IpAddr>) {
        self.push(role, ip.map(|ip| Value::Ip(ip.to_canonical())));
    }

    /// A key asked who called, and nobody has noted that.
    pub(super) fn miss_peer(&mut self) {
        self.peer = Peer::Unknown;
    }

    /// A key asked who called, and a proxy's header does not say so.
    pub(super) fn refuse_peer(&mut self, unreadable: UnreadableClient) {
        self.peer = Peer::Unreadable(unreadable);
    }

    pub(crate) const fn peer(&self) -> &Peer {
        &self.peer
    }

    fn push(&mut self, role: &'r Role, value: Option<Value<'r>>) {
        self.read.push(Fact { role, way: 0, value });
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Fact<'r>> {
        self.read.iter()
    }

    pub(crate) fn as_slice(&self) -> &[Fact<'r>] {
        &self.read
    }

    pub(super) fn len(&self) -> usize {
        self.read.len()
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.read.truncate(len);
    }

    pub(super) fn set_role(&mut self, from: usize, role: &'r Role) {
        let read = self.read.iter_mut().skip(from);
        read.for_each(|fact| fact.role = role);
    }

    pub(super) fn shift_ways(&mut self, from: usize, ways: u16) {
        let read = self.read.iter_mut().skip(from);
        read.for_each(|fact| fact.way = fact.way.saturating_add(ways));
    }

    /// Whether anything is missing of what was read after the first `from`.
    pub(crate) fn has_missing(&self, from: usize) -> bool {
        let mut read = self.read.iter().skip(from);
        read.any(|fact| fact.value.is_none())
    }
}

macro_rules! together {
    ($($name:ident $place:tt),*) => {
        /// All of them together.
        impl<$($name: Key),*> Key for ($($name,)*) {
            const WAYS: u16 = 0_u16 $(.saturating_add($name::WAYS))*;

            fn read<'r>(&'r self, head: &RequestHead<'r>, facts: &mut Facts<'r>) {
                $(self.$place.read(head, facts);)*
            }
        }
    };
}

together!(A 0, B 1);
together!(A 0, B 1, C 2);
together!(A 0, B 1, C 2, D 3);

/// The first key, or the other for requests that have none of it: see [`Key::or`].
///
/// ```
/// use tollgate_tower::{Header, Key as _, Or, PeerIp, header, peer_ip};
///
/// let key: Or<Header, PeerIp> = header("x-api-key").or(peer_ip());
/// ```
#[derive(Clone, Debug)]
pub struct Or<A, B> {
    first: A,
    other: B,
}

impl<A, B> Or<A, B> {
    pub(super) const fn new(first: A, other: B) -> Self {
        Self { first, other }
    }
}

impl<A: Key, B: Key> Key for Or<A, B> {
    const WAYS: u16 = A::WAYS.saturating_add(B::WAYS);

    fn read<'r>(&'r self, head: &RequestHead<'r>, facts: &mut Facts<'r>) {
        let before = facts.len();
        self.first.read(head, facts);
        if !facts.has_missing(before) {
            return;
        }
        facts.truncate(before);
        self.other.read(head, facts);
        // An API key that reads as an address must not be counted as that address.
        facts.shift_ways(before, A::WAYS);
    }
}

/// What no value begins with that is a key by itself.
const JOINED: char = '\u{1}';

/// Hands on the key that the facts make.
///
/// One value is a key as it is, so that `limiter.reset("192.0.2.1")` means what it says. Several, and those that came by
/// another alternative than the first, are each written with their way and length behind a sign with which no other
/// begins. The empty key is that of requests without any.
pub(crate) fn with_key<R>(facts: &Facts<'_>, with: impl FnOnce(&str) -> R) -> R {
    match facts.as_slice() {
        [] | [Fact { value: None, .. }] => with(""),
        [Fact { way: 0, value: Some(Value::Ip(ip)), .. }] => with(IpText::of_client(*ip).as_str()),
        [Fact { way: 0, value: Some(Value::Text(text)), .. }] if !text.starts_with(JOINED) => {
            with(text)
        }
        several => with(&joined(several)),
    }
}

fn joined(facts: &[Fact<'_>]) -> String {
    let mut key = String::from(JOINED);
    for fact in facts {
        let ip;
        let text = match &fact.value {
            None => {
                key.push('-');
                continue;
            }
            Some(Value::Text(text)) => text.as_ref(),
            Some(Value::Ip(address)) => {
                ip = IpText::of_client(*address);
                ip.as_str()
            }
        };
        // Writing to a text cannot fail.
        write!(key, "{}+{}:{text}", fact.way, text.len()).ok();
    }
    key
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;
    use crate::{Question, RequestHead, bearer_token, header, peer_ip};

    #[test]
    fn secrets_are_not_shown() {
        let request = Request::get("/search?key=s3cret")
            .header("x-api-key", "s3cret")
            .header("authorization", "Bearer s3cret")
            .header("x-session", "s3cret")
            .extension(crate::PeerAddr("192.0.2.1:5000".parse().unwrap()))
            .body(())
            .unwrap();
        let head = RequestHead::of(&request);
        let secrets = (header("x-api-key"), bearer_token(), header("x-session"));
        let key = (secrets, peer_ip(), header("x-none"));
        let mut facts = Facts::default();
        key.read(&head, &mut facts);
        let question = Question { head: &head, facts: &facts, cost: None };
        let shown = format!("{question:?}");
        assert!(!shown.contains("s3cret"), "{shown}");
        for part in ["/search", "x-session", "ApiKey", "Token", "Text(..)", "192.0.2.1", "None"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
    }
}
