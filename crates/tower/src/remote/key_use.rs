//! Whether the server's rules count by what the layer's key gives.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::{Facts, Role};

/// Some paths have no rule, so a key is said to be of no use after so many answers without a limit, and none with one.
const ANSWERS_MAX: u32 = 100;
/// Rules count by the key, or it was said that they do not.
const SETTLED: u32 = u32::MAX;

/// Logs once that the server's limits count by none of the facts that the key gives: such requests pass, and nothing
/// else would say why.
#[derive(Debug, Default)]
pub(super) struct KeyUse {
    /// Answers without a limit so far, or [`SETTLED`].
    unlimited: AtomicU32,
}

/// What a key gave for one request, without the values.
#[derive(Debug)]
pub(super) struct Given {
    names: Vec<String>,
    /// Whether it gave attributes only: few rules count by those, and every header is one unless said otherwise.
    is_unnamed: bool,
}

impl Given {
    fn of(facts: &Facts<'_>) -> Self {
        let given = || facts.iter().filter(|fact| fact.value.is_some());
        let is_attribute = |role: &Role| matches!(role, Role::Attribute(_));
        Self {
            names: given().map(|fact| fact.role.to_string()).collect(),
            is_unnamed: given().count() > 0 && given().all(|fact| is_attribute(fact.role)),
        }
    }
}

impl KeyUse {
    /// What the key gave, as long as it is not known whether rules count by it.
    pub(super) fn given(&self, facts: &Facts<'_>) -> Option<Given> {
        (self.unlimited.load(Relaxed) != SETTLED).then(|| Given::of(facts))
    }

    /// A limit of the server counted a request.
    pub(super) fn limited(&self) {
        self.unlimited.store(SETTLED, Relaxed);
    }

    /// No limit of the server counted a request of which the key gave this.
    pub(super) fn unlimited(&self, given: &Given) {
        if !self.is_news(given) {
            return;
        }
        let key = match given.names.as_slice() {
            [] => "nothing".to_owned(),
            names => names.join(", "),
        };
        tracing::warn!(
            key,
            "The server has found no limit for the requests of this layer: no rule matches them, or the rules that match \
             count by other facts than the layer's key gives. A header is the attribute of its name unless you say what \
             it is, for example header(\"x-user\").as_user()."
        );
    }

    fn is_news(&self, given: &Given) -> bool {
        let count = |so_far: u32| (so_far != SETTLED).then(|| so_far.saturating_add(1));
        let Ok(before) = self.unlimited.fetch_update(Relaxed, Relaxed, count) else {
            return false;
        };
        let is_enough = given.is_unnamed || before.saturating_add(1) >= ANSWERS_MAX;
        is_enough && self.unlimited.swap(SETTLED, Relaxed) != SETTLED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_attributes_is_news_at_once_and_once() {
        let key_use = KeyUse::default();
        let given = Given { names: vec!["attributes.x-user".to_owned()], is_unnamed: true };
        assert!(key_use.is_news(&given));
        assert!(!key_use.is_news(&given));
        assert!(key_use.given(&Facts::default()).is_none());
    }

    #[test]
    fn another_key_is_news_after_many_answers() {
        let key_use = KeyUse::default();
        let given = Given { names: vec!["user".to_owned()], is_unnamed: false };
        let news = (0..1_000).filter(|_| key_use.is_news(&given));
        assert_eq!(news.collect::<Vec<_>>(), [99]);
    }

    #[test]
    fn a_key_that_counts_is_never_news() {
        let key_use = KeyUse::default();
        key_use.limited();
        let given = Given { names: vec!["attributes.plan".to_owned()], is_unnamed: true };
        assert!(!key_use.is_news(&given));
    }
}
