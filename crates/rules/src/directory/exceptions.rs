//! Overrides found by rule and key.

use std::{
    hash::{BuildHasher, Hasher},
    sync::Arc,
};

use foldhash::quality::RandomState;
use tollgate_core::{RuleId, Timestamp};

use super::{Entry, shards::Drawers};

/// Overrides by the hash of their key. What is found is checked, so two keys may share a hash.
type ByHash = Drawers<Entry>;

/// The overrides of one key, one of which may count.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// What counts now.
    pub(crate) in_force: Option<Arc<Entry>>,
    /// The last that ended: keys may still be counted by its limits.
    pub(crate) ended: Option<Arc<Entry>>,
}

impl Found {
    /// Of overrides of one origin the one that counts, and the last that ended.
    pub(super) fn among(entries: &[Arc<Entry>], rule: RuleId, key: &[u8], now: Timestamp) -> Self {
        let mut found = Self::default();
        for entry in entries.iter().filter(|entry| entry.is_for(rule, key)) {
            if entry.has_ended(now) {
                let last = found.ended.as_ref().map(|last| last.until);
                if last.is_none_or(|last| last < entry.until) {
                    found.ended = Some(Arc::clone(entry));
                }
            } else if found
                .in_force
                .as_ref()
                .is_none_or(|best| entry.precedence() < best.precedence())
            {
                found.in_force = Some(Arc::clone(entry));
            }
        }
        found
    }

    /// This, or where nothing is in force, what is in `other`.
    pub(crate) fn or(self, other: impl FnOnce() -> Self) -> Self {
        if self.in_force.is_some() {
            return self;
        }
        let other = other();
        Self {
            in_force: other.in_force,
            ended: self.ended.or(other.ended),
        }
    }
}

/// The hash of a counter's key, for rules in general.
pub(super) fn key_hash(state: &RandomState, key: &[u8]) -> u64 {
    let mut hasher = state.build_hasher();
    hasher.write(key);
    hasher.finish()
}

/// Overrides that never change: those of a file.
#[derive(Debug, Default)]
pub(crate) struct Exceptions {
    state: RandomState,
    entries: ByHash,
}

impl Exceptions {
    pub(crate) fn new(entries: impl IntoIterator<Item = Entry>) -> Self {
        let mut exceptions = Self::default();
        for entry in entries {
            let hash = key_hash(&exceptions.state, &entry.key);
            let drawer = exceptions.entries.entry(hash).or_default();
            drawer.push(Arc::new(entry));
        }
        exceptions
    }

    pub(crate) fn find(&self, rule: RuleId, key: &[u8], now: Timestamp) -> Found {
        if self.entries.is_empty() {
            return Found::default();
        }
        let entries = self.entries.get(&key_hash(&self.state, key));
        entries.map_or_else(Found::default, |entries| {
            Found::among(entries, rule, key, now)
        })
    }
}
