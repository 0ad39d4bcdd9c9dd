//! Tiers that requests state and nothing names: counted, and each name told once.

use std::{
    collections::HashSet,
    sync::{
        PoisonError, RwLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use tollgate_rules::UnknownTier;

/// The most names that are told: an issuer of tokens may write anything into them.
const NAMES_MAX: usize = 100;

/// What was met of such tiers since the start.
#[derive(Debug, Default)]
pub(super) struct UnknownTiers {
    total: AtomicU64,
    told: RwLock<HashSet<Box<str>>>,
}

/// Whether a name goes into the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum News {
    /// It was told before, or is one too many.
    None,
    /// It is told.
    Name,
    /// It is told, as the last one.
    LastName,
}

impl UnknownTiers {
    /// A request states this tier.
    pub(super) fn met(&self, tier: &str, policy: UnknownTier) {
        self.total.fetch_add(1, Relaxed);
        let news = self.note(tier);
        if news == News::None {
            return;
        }
        let becomes = match policy {
            UnknownTier::Keep => "no rule for a tier and no default limits are about it",
            UnknownTier::Refuse => "it is denied",
            _ => "it counts as the default tier",
        };
        let more = match news {
            News::LastName => "; further names are counted and not logged",
            _ => "",
        };
        tracing::warn!(
            ?tier,
            "A request states a tier that no rule, tier or API key names: {becomes} (unknown_tier = {}){more}. \
             Declare it under `tiers`, or look at who issues it.",
            policy.word(),
        );
    }

    /// How many requests stated one.
    pub(super) fn total(&self) -> u64 {
        self.total.load(Relaxed)
    }

    fn note(&self, tier: &str) -> News {
        let told = self.told.read().unwrap_or_else(PoisonError::into_inner);
        if told.len() >= NAMES_MAX || told.contains(tier) {
            return News::None;
        }
        drop(told);
        let mut told = self.told.write().unwrap_or_else(PoisonError::into_inner);
        if told.len() >= NAMES_MAX || !told.insert(tier.into()) {
            return News::None;
        }
        match told.len() {
            NAMES_MAX => News::LastName,
            _ => News::Name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Proves: R4
    #[test]
    fn each_name_is_told_once_and_so_many_at_most() {
        let tiers = UnknownTiers::default();
        assert_eq!(tiers.note("gold"), News::Name);
        assert_eq!(tiers.note("gold"), News::None);
        let told = (0..10_000).map(|number| tiers.note(&format!("tier-{number}")));
        let told: Vec<News> = told.filter(|news| *news != News::None).collect();
        assert_eq!(told.len(), NAMES_MAX - 1);
        assert_eq!(told.last(), Some(&News::LastName));
        assert_eq!(tiers.note("silver"), News::None);
        tiers.met("silver", UnknownTier::Default);
        assert_eq!(tiers.total(), 1);
    }
}
