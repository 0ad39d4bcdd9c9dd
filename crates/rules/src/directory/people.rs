//! API keys and quotas, found by digest and by user.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

use super::{ApiKey, Directory, KeyCard, KeyDigest, Quota, QuotaCard};

/// API keys and quotas.
#[derive(Debug, Default)]
pub(super) struct People {
    keys: RwLock<HashMap<KeyDigest, Arc<KeyCard>>>,
    quotas: RwLock<HashMap<Arc<str>, Arc<QuotaCard>>>,
}

impl Directory {
    /// Puts API keys in force, each instead of the one that had its id.
    pub fn put_keys(&self, keys: impl IntoIterator<Item = ApiKey>) {
        let mut all = self
            .people
            .keys
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        for key in keys {
            all.retain(|_, card| card.key().id != key.id);
            all.insert(key.digest, Arc::new(KeyCard::new(key)));
        }
    }

    /// Removes every API key whose id is not to be kept.
    pub fn retain_keys(&self, is_kept: impl Fn(&str) -> bool) {
        let mut all = self
            .people
            .keys
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, card| is_kept(&card.key().id));
    }

    /// The API key that hashes to this, revoked and expired ones included.
    pub fn key(&self, digest: &KeyDigest) -> Option<Arc<KeyCard>> {
        let all = self
            .people
            .keys
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        all.get(digest).map(Arc::clone)
    }

    /// Whether any API key was ever issued.
    pub fn has_keys(&self) -> bool {
        let all = self
            .people
            .keys
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        !all.is_empty()
    }

    /// Puts quotas in force, each instead of the one that its user had.
    pub fn put_quotas(&self, quotas: impl IntoIterator<Item = Quota>) {
        let mut all = self
            .people
            .quotas
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        for quota in quotas {
            all.insert(Arc::clone(&quota.user), Arc::new(QuotaCard::new(quota)));
        }
    }

    /// Removes every quota whose user is not to be kept.
    pub fn retain_quotas(&self, is_kept: impl Fn(&str) -> bool) {
        let mut all = self
            .people
            .quotas
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        all.retain(|user, _| is_kept(user));
    }

    /// What is agreed with a user.
    pub fn quota(&self, user: &str) -> Option<Arc<QuotaCard>> {
        let all = self
            .people
            .quotas
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        all.get(user).map(Arc::clone)
    }
}
