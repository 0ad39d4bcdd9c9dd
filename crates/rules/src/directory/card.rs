//! Entries as decisions find them.

use std::sync::Arc;

use tollgate_core::{LimitLine, LimitSet, Timestamp};

use super::{
    ApiKey, KeyDigest, Quota,
    usage::{Counted, UsedLately, User},
};
use crate::{Field, Key, Name, Rule, snapshot::Compiled};

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
            Arc::new(OwnLine {
                rule: Arc::clone(&compiled.rule),
                limit: limit.clone(),
            })
        };
        Some(Box::new(Self {
            lines: compiled.lines.iter().map(line).collect(),
            compiled,
        }))
    }
}
