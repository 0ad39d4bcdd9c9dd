//! What happened that nobody else tells.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// What the layer did beside plain yes and no, since it was made.
///
/// ```
/// use tollgate_tower::TollgateLayer;
///
/// let layer = TollgateLayer::embedded("100/min")?;
/// assert_eq!(layer.counts().unanswered, 0);
/// # Ok::<(), tollgate_tower::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Requests that passed because nobody could decide: a gate without rules. Not those that a fallback decided.
    pub unanswered: u64,
    /// Requests with facts that no rule can be asked about, such as a path that climbs above the root.
    pub malformed: u64,
    /// Requests with an API key or a token that the server refused.
    pub refused: u64,
    /// Requests that had no key.
    pub missing: u64,
    /// Requests that passed although they were denied, in shadow mode.
    pub shadowed: u64,
}

/// The counters behind it.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) unanswered: AtomicU64,
    pub(crate) malformed: AtomicU64,
    pub(crate) refused: AtomicU64,
    pub(crate) missing: AtomicU64,
    pub(crate) shadowed: AtomicU64,
    has_told_of_peers: AtomicBool,
}

impl Tally {
    /// Says once that nobody notes who calls: whoever forgets that sees limits that are far too tight, and nothing else.
    pub(crate) fn tell_of_unknown_peers(&self) {
        // Read first: it is written once, and every request comes by.
        if self.has_told_of_peers.load(Relaxed) || self.has_told_of_peers.swap(true, Relaxed) {
            return;
        }
        tracing::warn!(
            "peer_ip() finds no address of a peer, so that all clients share one budget: serve axum with \
             into_make_service_with_connect_info::<SocketAddr>(), turn on the feature `tonic` for tonic, or put \
             tollgate_tower::PeerAddr into the extensions of each request"
        );
    }

    pub(crate) fn counts(&self) -> Counts {
        Counts {
            unanswered: self.unanswered.load(Relaxed),
            malformed: self.malformed.load(Relaxed),
            refused: self.refused.load(Relaxed),
            missing: self.missing.load(Relaxed),
            shadowed: self.shadowed.load(Relaxed),
        }
    }
}

/// One more of these.
pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Relaxed);
}
