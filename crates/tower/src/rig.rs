//! What all copies of a service share.

use std::sync::Arc;

use http::{Method, header::ACCESS_CONTROL_REQUEST_METHOD};

use crate::{
    Decide, Decided, Facts, Key, Missing, Preflights, Question, RequestHead, Step, counts::count,
    key::Peer, settings::Settings,
};

/// Who decides, by which key, and what becomes of that.
#[derive(Clone, Debug)]
pub(crate) struct Rig<D, K> {
    pub(crate) decider: D,
    pub(crate) key: K,
    pub(crate) settings: Arc<Settings>,
}

impl<D: Decide, K: Key> Rig<D, K> {
    /// Asks about a request.
    #[inline]
    pub(crate) fn ask(&self, head: &RequestHead<'_>) -> Step<D::Asking> {
        let settings = &self.settings;
        if settings.preflights == Preflights::Free && is_preflight(head) {
            return Step::Now(Decided::Free);
        }
        let mut facts = Facts::default();
        self.key.read(head, &mut facts);
        match facts.peer() {
            Peer::Known => {}
            Peer::Unknown => settings.tally.tell_of_unknown_peers(),
            Peer::Unreadable(unreadable) => {
                return Step::Now(Decided::Malformed(unreadable.to_string()));
            }
        }
        if facts.has_missing(0) {
            count(&settings.tally.missing);
            match settings.missing {
                Missing::Shared => {}
                Missing::Skip => return Step::Now(Decided::Free),
                Missing::Deny => return Step::Now(Decided::Keyless),
            }
        }
        let cost = settings.cost.as_ref().map(|weigh| weigh(head));
        self.decider.decide(&Question { head, facts: &facts, cost })
    }
}

fn is_preflight(head: &RequestHead<'_>) -> bool {
    *head.method == Method::OPTIONS && head.headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}
