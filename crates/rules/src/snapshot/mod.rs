//! All rules and tiers, compiled: what a request is held against.

mod compile;
mod explain;
mod plan;
mod walk;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

pub(crate) use compile::Compiled;
pub use explain::{Considered, Explanation, Fate};
pub use plan::{Line, Plan, Stop, TierFound};
use tollgate_core::RuleId;

use crate::{Name, Rule, UnknownTier, directory::Exceptions, index::Index};

/// Every rule of one revision, in walk order and indexed. Immutable: a request that holds one sees one
/// revision from start to end, and a new revision is a new snapshot.
#[derive(Debug)]
pub struct Snapshot {
    revision: u64,
    default_tier: Name,
    /// The tiers that are declared, and those that rules name.
    tiers: HashSet<Name>,
    unknown_tier: UnknownTier,
    walk: Vec<Compiled>,
    /// Where the limits of API keys and users stand among the rules.
    own_at: u32,
    index: Index,
    defaults: HashMap<Name, Compiled>,
    exceptions: Exceptions,
    /// Stands for the limits that requests bring along; on its own it lets nothing pass.
    own_limit: Arc<Rule>,
}

impl Snapshot {
    /// The number of the revision.
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// The same rules with another answer for tiers that nothing names.
    #[must_use]
    pub const fn with_unknown_tier(mut self, policy: UnknownTier) -> Self {
        self.unknown_tier = policy;
        self
    }

    /// The id of the rule that is called so, if it is enabled.
    pub fn rule_id(&self, name: &str) -> Option<RuleId> {
        let mut rules = self.walk.iter().map(|compiled| &compiled.rule);
        rules.find(|rule| rule.name.as_str() == name).map(|rule| rule.id)
    }

    /// Every rule that can decide: those that are walked, in that order, then the tiers' defaults.
    pub fn deciding(&self) -> impl Iterator<Item = &Arc<Rule>> {
        let all = self.walk.iter().chain(self.defaults.values());
        all.map(|compiled| &compiled.rule)
    }

    /// How many rules are walked: those that are enabled.
    pub fn rules(&self) -> usize {
        self.walk.len()
    }
}
