//! What a revision holds.

use std::{collections::BTreeMap, sync::Arc};

use tollgate_core::Timestamp;
use tollgate_rules::{Name, RuleSet};

use super::{RevisionHash, RevisionNumber};
use crate::{
    ItemKey, ItemKind,
    codec::{self, SETTING_DEFAULT_TIER},
    item::hash_all,
};

/// One immutable, numbered version of the whole rule set.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Revision {
    /// Its number.
    pub number: RevisionNumber,
    /// The hash of all it holds.
    pub hash: RevisionHash,
    /// Rules, tiers, the default tier and the overrides of the file.
    pub set: Arc<RuleSet>,
    /// Who wrote each item, and when.
    pub(crate) stamps: Arc<Stamps>,
}

pub(crate) type Stamps = BTreeMap<ItemKey, Stamp>;

/// When an item was written, by whom, and which version it is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stamp {
    /// The item's name.
    pub name: Arc<str>,
    /// The revision that wrote it last: what an editor states to be sure that nobody was faster.
    pub version: RevisionNumber,
    /// The hash of the item alone.
    pub hash: RevisionHash,
    /// When it came to be.
    pub created: Mark,
    /// When it was written last.
    pub updated: Mark,
    pub(crate) created_in: RevisionNumber,
    pub(crate) position: i64,
}

/// A moment and a name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mark {
    /// When.
    pub at: Timestamp,
    /// Who.
    pub by: Arc<str>,
}

impl Revision {
    /// The empty catalog: no rules, and the tiers everything begins with.
    pub fn zero() -> Self {
        let set = RuleSet::default();
        let hashes: Vec<RevisionHash> =
            codec::items(&set).iter().map(|(key, item)| item.hash(key)).collect();
        Self {
            number: RevisionNumber::ZERO,
            hash: hash_all(&hashes),
            set: Arc::new(set),
            stamps: Arc::default(),
        }
    }

    pub(crate) fn new(number: RevisionNumber, set: RuleSet, stamps: Stamps) -> Self {
        Self {
            number,
            hash: hash_all(stamps.values().map(|stamp| &stamp.hash)),
            set: Arc::new(set),
            stamps: Arc::new(stamps),
        }
    }

    /// The version of a rule, and who wrote it.
    pub fn rule_stamp(&self, name: &Name) -> Option<&Stamp> {
        let rule = self.set.rules.get(name)?;
        self.stamp(ItemKind::Rule, &rule.id.to_string())
    }

    /// The version of a tier, and who wrote it. The tiers everything begins with have none.
    pub fn tier_stamp(&self, name: &Name) -> Option<&Stamp> {
        self.stamp(ItemKind::Tier, name.as_str())
    }

    /// The version of the default tier, and who wrote it.
    pub fn default_tier_stamp(&self) -> Option<&Stamp> {
        self.stamp(ItemKind::Setting, SETTING_DEFAULT_TIER)
    }

    fn stamp(&self, kind: ItemKind, id: &str) -> Option<&Stamp> {
        self.stamps.get(&ItemKey::new(kind, id))
    }
}
