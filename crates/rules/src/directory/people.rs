//! API keys and quotas, found by digest and by user.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use smallvec::SmallVec;

use super::{
    ApiKey, Directory, KeyCard, KeyDigest, Quota, QuotaCard, Used, exceptions::key_hash,
    shards::Shards, usage::UsedLately,
};

/// API keys and quotas.
#[derive(Debug, Default)]
pub(super) struct People {
    keys: Shards<KeyCard>,
    /// The digests of each key, by the hash of its id; only writers look, one at a time.
    digests: Mutex<HashMap<u64, SmallVec<[u64; 1]>>>,
    quotas: Shards<QuotaCard>,
    /// Who writes quotas does so alone.
    quoting: Mutex<()>,
    used: Arc<UsedLately>,
}

impl Directory {
    /// Puts API keys in force, each instead of the one that had its id.
    pub fn put_keys(&self, keys: impl IntoIterator<Item = ApiKey>) {
        let people = &self.people;
        let mut digests = people
            .digests
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let (mut cards, mut gone) = (Vec::new(), Vec::new());
        for key in keys {
            let place = key_hash(&self.state, key.id.as_bytes());
            let shown = [Some(key.digest), key.former.map(|(digest, _)| digest)];
            let hashes: SmallVec<[u64; 1]> = shown.iter().flatten().map(KeyDigest::hash).collect();
            let before = digests.insert(place, hashes.clone()).unwrap_or_default();
            let former = before.iter().find_map(|hash| people.card(*hash, &key.id));
            let card = Arc::new(KeyCard::new(key, former.as_deref(), &people.used));
            let stale = before.into_iter().filter(|hash| !hashes.contains(hash));
            gone.extend(stale.map(|hash| (hash, Arc::clone(&card.key().id))));
            cards.extend(hashes.into_iter().map(|hash| (hash, Arc::clone(&card))));
        }
        people
            .keys
            .put_all(cards, |one, other| one.key().id == other.key().id);
        for (hash, id) in gone {
            people.keys.remove(hash, |card| card.key().id == id);
        }
    }

    /// Removes every API key whose id is not to be kept.
    pub fn retain_keys(&self, is_kept: impl Fn(&str) -> bool) {
        let people = &self.people;
        let mut digests = people
            .digests
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        people.keys.retain(|card| is_kept(&card.key().id));
        let is_there = |hash: &u64| people.keys.find(*hash, |_| ()).is_some();
        digests.retain(|_, hashes| hashes.iter().any(is_there));
    }

    /// The API key that hashes to this, revoked and expired ones included: [`KeyCard::standing`] says what it is worth.
    pub fn key(&self, digest: &KeyDigest) -> Option<Arc<KeyCard>> {
        let found = |cards: &[Arc<KeyCard>]| {
            let mut cards = cards.iter();
            cards.find(|card| card.key().has(digest)).map(Arc::clone)
        };
        self.people.keys.find(digest.hash(), found)?
    }

    /// The API key of an id, for whoever manages them.
    pub fn key_by_id(&self, id: &str) -> Option<Arc<KeyCard>> {
        let people = &self.people;
        let digests = people
            .digests
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let hashes = digests.get(&key_hash(&self.state, id.as_bytes()))?;
        hashes.iter().find_map(|hash| people.card(*hash, id))
    }

    /// Whether any API key was ever issued.
    pub fn has_keys(&self) -> bool {
        !self.people.keys.is_empty()
    }

    /// Puts quotas in force, each instead of the one that its user had.
    pub fn put_quotas(&self, quotas: impl IntoIterator<Item = Quota>) {
        let people = &self.people;
        let _alone = people
            .quoting
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let cards: Vec<_> = quotas
            .into_iter()
            .map(|quota| {
                let former = self.quota(&quota.user);
                let hash = key_hash(&self.state, quota.user.as_bytes());
                let card = QuotaCard::new(quota, former.as_deref(), &people.used);
                (hash, Arc::new(card))
            })
            .collect();
        let is_same = |one: &QuotaCard, other: &QuotaCard| one.quota().user == other.quota().user;
        people.quotas.put_all(cards, is_same);
    }

    /// Removes the quota of a user, if there is one.
    pub fn remove_quota(&self, user: &str) {
        let people = &self.people;
        let _alone = people
            .quoting
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let hash = key_hash(&self.state, user.as_bytes());
        people
            .quotas
            .remove(hash, |card| &*card.quota().user == user);
    }

    /// Removes every quota whose user is not to be kept.
    pub fn retain_quotas(&self, is_kept: impl Fn(&str) -> bool) {
        let people = &self.people;
        let _alone = people
            .quoting
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        people.quotas.retain(|card| is_kept(&card.quota().user));
    }

    /// What is agreed with a user.
    pub fn quota(&self, user: &str) -> Option<Arc<QuotaCard>> {
        let people = &self.people;
        if people.quotas.is_empty() {
            return None;
        }
        let found = |cards: &[Arc<QuotaCard>]| {
            let mut cards = cards.iter();
            let card = cards.find(|card| &*card.quota().user == user);
            card.map(Arc::clone)
        };
        people
            .quotas
            .find(key_hash(&self.state, user.as_bytes()), found)?
    }

    /// Hands out what API keys and users with a quota have used since it was last asked for, of at most so many.
    pub fn take_used(&self, most: usize) -> Vec<Used> {
        self.people.used.take(most)
    }
}

impl People {
    fn card(&self, hash: u64, id: &str) -> Option<Arc<KeyCard>> {
        let found = |cards: &[Arc<KeyCard>]| {
            let mut cards = cards.iter();
            cards.find(|card| &*card.key().id == id).map(Arc::clone)
        };
        self.keys.find(hash, found)?
    }
}
