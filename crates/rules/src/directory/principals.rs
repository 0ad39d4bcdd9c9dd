//! API keys and quotas, found by digest and by user.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use smallvec::SmallVec;
use tollgate_core::{LimitLine, LimitSet, Timestamp};

use super::{
    Directory, Used,
    overrides::key_hash,
    shards::Shards,
    usage::{Counted, UsedLately, User},
};
use crate::{Field, Key, Name, Rule, snapshot::Compiled};

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
        let mut digests = people.digests.lock().unwrap_or_else(PoisonError::into_inner);
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
        people.keys.put_all(cards, |one, other| one.key().id == other.key().id);
        for (hash, id) in gone {
            people.keys.remove(hash, |card| card.key().id == id);
        }
    }

    /// Removes every API key whose id is not to be kept.
    pub fn retain_keys(&self, is_kept: impl Fn(&str) -> bool) {
        let people = &self.people;
        let mut digests = people.digests.lock().unwrap_or_else(PoisonError::into_inner);
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
        let digests = people.digests.lock().unwrap_or_else(PoisonError::into_inner);
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
        let _alone = people.quoting.lock().unwrap_or_else(PoisonError::into_inner);
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
        let _alone = people.quoting.lock().unwrap_or_else(PoisonError::into_inner);
        let hash = key_hash(&self.state, user.as_bytes());
        people.quotas.remove(hash, |card| &*card.quota().user == user);
    }

    /// Removes every quota whose user is not to be kept.
    pub fn retain_quotas(&self, is_kept: impl Fn(&str) -> bool) {
        let people = &self.people;
        let _alone = people.quoting.lock().unwrap_or_else(PoisonError::into_inner);
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
        people.quotas.find(key_hash(&self.state, user.as_bytes()), found)?
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

/// An API key, as it is found by its digest.
#[derive(Debug)]
pub struct KeyCard {
    key: ApiKey,
    own: Option<Box<OwnLimits>>,
    counted: Arc<Counted>,
}

/// Whether an API key opens anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyStanding {
    /// It does.
    InForce,
    /// Its time has come, or that of the key it was rotated from.
    Expired,
    /// It was revoked.
    Revoked,
}

impl KeyCard {
    /// The key.
    pub const fn key(&self) -> &ApiKey {
        &self.key
    }

    /// Whether what was shown opens anything at a moment.
    pub fn standing(&self, shown: &KeyDigest, now: Timestamp) -> KeyStanding {
        let is_over = |end: Option<Timestamp>| end.is_some_and(|end| end <= now);
        let former = self.key.former.as_ref();
        let former = former.filter(|(digest, _)| digest.is(shown));
        // Whatever the clocks of whoever revoked it say.
        if self.key.revoked_at.is_some() {
            KeyStanding::Revoked
        } else if is_over(self.key.expires_at) || is_over(former.map(|(_, until)| *until)) {
            KeyStanding::Expired
        } else {
            KeyStanding::InForce
        }
    }

    pub(super) fn new(key: ApiKey, former: Option<&Self>, list: &Arc<UsedLately>) -> Self {
        let before = former.and_then(|former| former.own.as_deref());
        let limits = key.limits.as_ref();
        Self {
            own: limits.and_then(|limits| {
                let name = Name::implicit("api-key", &key.id);
                OwnLimits::new(name, Field::ApiKey, limits, before)
            }),
            counted: former.map_or_else(
                || Counted::new(User::ApiKey(Arc::clone(&key.id)), list),
                |former| Arc::clone(&former.counted),
            ),
            key,
        }
    }

    pub(crate) fn own(&self) -> Option<&OwnLimits> {
        self.own.as_deref()
    }

    pub(crate) const fn counted(&self) -> &Arc<Counted> {
        &self.counted
    }
}

/// What is agreed with a user, as it is found by the user.
#[derive(Debug)]
pub struct QuotaCard {
    quota: Quota,
    own: Option<Box<OwnLimits>>,
    counted: Arc<Counted>,
}

impl QuotaCard {
    /// What is agreed.
    pub const fn quota(&self) -> &Quota {
        &self.quota
    }

    pub(super) fn new(quota: Quota, former: Option<&Self>, list: &Arc<UsedLately>) -> Self {
        let before = former.and_then(|former| former.own.as_deref());
        let limits = quota.limits.as_ref();
        Self {
            own: limits.and_then(|limits| {
                let name = Name::implicit("quota", &quota.user);
                OwnLimits::new(name, Field::User, limits, before)
            }),
            counted: former.map_or_else(
                || Counted::new(User::Quota(Arc::clone(&quota.user)), list),
                |former| Arc::clone(&former.counted),
            ),
            quota,
        }
    }

    pub(crate) fn own(&self) -> Option<&OwnLimits> {
        self.own.as_deref()
    }

    pub(crate) const fn counted(&self) -> &Arc<Counted> {
        &self.counted
    }
}

/// The limits of one API key or of one user, as a rule of its own.
#[derive(Debug)]
pub(crate) struct OwnLimits {
    pub(crate) compiled: Compiled,
    pub(crate) lines: Vec<Arc<OwnLine>>,
}

/// One of them.
#[derive(Debug)]
pub(crate) struct OwnLine {
    pub(crate) rule: Arc<Rule>,
    pub(crate) limit: LimitLine,
}

impl OwnLimits {
    /// In the place of those that were there before, whose counters are carried over.
    fn new(
        name: Name,
        field: Field,
        limits: &LimitSet,
        before: Option<&Self>,
    ) -> Option<Box<Self>> {
        let key = Key::new([field.into()]).ok()?;
        let rule = Arc::new(Rule::throttle(name, key, limits.clone()));
        let compiled = Compiled::new(rule, before.map(|before| &before.compiled));
        let line = |limit: &LimitLine| {
            Arc::new(OwnLine { rule: Arc::clone(&compiled.rule), limit: limit.clone() })
        };
        Some(Box::new(Self { lines: compiled.lines.iter().map(line).collect(), compiled }))
    }
}

/// What is kept of a secret that somebody shows: a keyed hash, from which it cannot be had back.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyDigest([u8; 32]);

impl KeyDigest {
    /// Of these bytes.
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// It is as good as random, so its beginning is as good as a hash.
    pub(super) fn hash(&self) -> u64 {
        let first = self.0.first_chunk().copied();
        u64::from_be_bytes(first.unwrap_or_default())
    }

    /// Whether it is the same; a near miss takes as long as a far one.
    pub fn is(&self, other: &Self) -> bool {
        let pairs = self.0.iter().zip(&other.0);
        let differing = pairs.fold(0, |differing, (one, other)| differing | (one ^ other));
        std::hint::black_box(differing) == 0
    }
}

/// Never shown: whoever knew it could look for the secret at leisure.
impl fmt::Debug for KeyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyDigest(…)")
    }
}

/// An API key as decisions know it.
///
/// ```
/// use tollgate_rules::{ApiKey, KeyDigest};
///
/// let mut key = ApiKey::new("k17".into(), KeyDigest::new([7; 32]));
/// key.user = Some("alice".into());
/// assert_eq!(&*key.id, "k17");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ApiKey {
    /// What it is called wherever it is named: in rules, counters, logs. Never the key itself.
    pub id: Arc<str>,
    /// What the key hashes to.
    pub digest: KeyDigest,
    /// What it was before it was rotated, and until when that is still accepted.
    pub former: Option<(KeyDigest, Timestamp)>,
    /// Whose it is.
    pub user: Option<Arc<str>>,
    /// For which organisation.
    pub org: Option<Arc<str>>,
    /// Of which tier.
    pub tier: Option<Arc<str>>,
    /// Its own limits, beside those of the rules.
    pub limits: Option<LimitSet>,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

impl ApiKey {
    /// A key of nobody in particular, without limits and without end.
    pub const fn new(id: Arc<str>, digest: KeyDigest) -> Self {
        Self {
            id,
            digest,
            former: None,
            user: None,
            org: None,
            tier: None,
            limits: None,
            expires_at: None,
            revoked_at: None,
        }
    }

    /// Whether a digest is its own, or that of the key it was rotated from.
    pub(super) fn has(&self, digest: &KeyDigest) -> bool {
        let former = self.former.as_ref().map(|(former, _)| former);
        self.digest.is(digest) || former.is_some_and(|former| former.is(digest))
    }
}

/// What is agreed with one user.
///
/// ```
/// use tollgate_rules::Quota;
///
/// let mut quota = Quota::new("alice".into());
/// quota.tier = Some("premium".into());
/// assert_eq!(&*quota.user, "alice");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Quota {
    /// Who.
    pub user: Arc<str>,
    /// The tier of its requests that state none.
    pub tier: Option<Arc<str>>,
    /// What counts for it in the place of its tier's default limits.
    pub limits: Option<LimitSet>,
}

impl Quota {
    /// Nothing in particular.
    pub const fn new(user: Arc<str>) -> Self {
        Self { user, tier: None, limits: None }
    }
}
