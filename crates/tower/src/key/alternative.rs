//! A key, or another.

use super::{Facts, Key};
use crate::RequestHead;

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
