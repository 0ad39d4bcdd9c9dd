//! Tiers: classes of callers.

use tollgate_core::LimitSet;

use crate::{Field, Key, KeyField, Name};

/// A class of callers. Tiers are data: these four are there to start with.
///
/// ```
/// use tollgate_rules::Tier;
///
/// let names: Vec<String> = Tier::built_in().iter().map(|tier| tier.name.to_string()).collect();
/// assert_eq!(names, ["free", "premium", "internal-service", "admin"]);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tier {
    /// What it is called.
    pub name: Name,
    /// Kept for shedding load by tier, which is not there yet: nothing uses it. 0 if it is not stated.
    pub rank: u32,
    /// What a request that no throttle matched may do, by `user|api_key|ip`.
    pub default: Option<LimitSet>,
}

impl Tier {
    /// The most tiers.
    pub const COUNT_MAX: usize = 1_000;

    /// A tier without default limits.
    pub const fn new(name: Name, rank: u32) -> Self {
        Self { name, rank, default: None }
    }

    /// What the default limits count by.
    pub(crate) fn default_key() -> Option<Key> {
        let caller = KeyField::first_of([Field::User, Field::ApiKey, Field::Ip]);
        Key::new([caller.ok()?]).ok()
    }

    /// The tiers every rule set begins with.
    pub fn built_in() -> Vec<Self> {
        let ranked = [("free", 1), ("premium", 2), ("internal-service", 3), ("admin", 4)];
        let named = ranked.into_iter().filter_map(|(name, rank)| {
            let name = name.parse().ok()?;
            Some(Self::new(name, rank))
        });
        named.collect()
    }
}

/// What becomes of a request whose tier nothing names: neither the tiers nor a rule.
///
/// ```
/// use tollgate_rules::UnknownTier;
///
/// assert_eq!(UnknownTier::default().word(), "default");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownTier {
    /// It counts as the default tier.
    #[default]
    Default,
    /// It keeps its tier: no rule for a tier and no default limits are about it.
    Keep,
    /// It is denied.
    Refuse,
}

impl UnknownTier {
    /// Every policy, in the order of the manual.
    pub const ALL: [Self; 3] = [Self::Default, Self::Keep, Self::Refuse];

    /// As in a setting.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Keep => "keep",
            Self::Refuse => "refuse",
        }
    }
}
