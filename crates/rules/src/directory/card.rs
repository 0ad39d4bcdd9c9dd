//! Entries as decisions find them.

use super::{ApiKey, Quota};

/// An API key, as it is found by its digest.
#[derive(Debug)]
pub struct KeyCard {
    key: ApiKey,
}

impl KeyCard {
    /// The key.
    pub const fn key(&self) -> &ApiKey {
        &self.key
    }

    pub(super) const fn new(key: ApiKey) -> Self {
        Self { key }
    }
}

/// What is agreed with a user, as it is found by the user.
#[derive(Debug)]
pub struct QuotaCard {
    quota: Quota,
}

impl QuotaCard {
    /// What is agreed.
    pub const fn quota(&self) -> &Quota {
        &self.quota
    }

    pub(super) const fn new(quota: Quota) -> Self {
        Self { quota }
    }
}
