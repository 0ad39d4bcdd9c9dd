//! A revision while it is put together from its items.

use std::collections::BTreeMap;

use tollgate_rules::{Name, Override, RuleSet};

use super::store::Stored;
use crate::{
    CatalogError, ItemKey, ItemKind, Revision, RevisionNumber,
    codec::{self, Part},
    revision::{Stamp, Stamps},
};

#[derive(Debug)]
pub(crate) struct Assembly {
    set: RuleSet,
    stamps: Stamps,
    /// By their keys; their stamps know the order.
    overrides: BTreeMap<ItemKey, Override>,
}

/// Nothing, not even the tiers everything begins with.
impl Default for Assembly {
    fn default() -> Self {
        let mut set = RuleSet::default();
        set.tiers.clear();
        Self { set, stamps: Stamps::new(), overrides: BTreeMap::new() }
    }
}

impl From<&Revision> for Assembly {
    fn from(revision: &Revision) -> Self {
        let mut set = (*revision.set).clone();
        let keys = override_keys(&revision.stamps);
        let overrides = keys.into_iter().zip(set.overrides.drain(..)).collect();
        Self { set, stamps: (*revision.stamps).clone(), overrides }
    }
}

impl Assembly {
    pub(crate) fn without(mut self, keys: &[ItemKey]) -> Self {
        for key in keys {
            let Some(stamp) = self.stamps.remove(key) else {
                continue;
            };
            let name = stamp.name.parse::<Name>().ok();
            match (key.kind, name) {
                (ItemKind::Rule, Some(name)) => drop(self.set.rules.remove(&name)),
                (ItemKind::Tier, Some(name)) => drop(self.set.tiers.remove(&name)),
                (ItemKind::Override, _) => drop(self.overrides.remove(key)),
                _ => {}
            }
        }
        self
    }

    pub(crate) fn with(
        mut self,
        number: RevisionNumber,
        stored: Vec<Stored>,
    ) -> Result<Self, CatalogError> {
        let unreadable =
            |item: String, why: String| CatalogError::Unreadable { revision: number, item, why };
        for Stored { key, item, stamp } in stored {
            let key = key.map_err(|item| unreadable(item, "its kind is unknown".to_owned()))?;
            if item.hash(&key) != stamp.hash {
                let why = format!("{} {} does not have its hash", key.kind, item.name);
                return Err(CatalogError::Corrupt(why));
            }
            let part = codec::part(&key, &item)
                .map_err(|why| unreadable(format!("{} {}", key.kind, item.name), why))?;
            self.put(&key, part);
            self.stamps.insert(key, stamp);
        }
        Ok(self)
    }

    fn put(&mut self, key: &ItemKey, part: Part) {
        match part {
            Part::Rule(rule) => drop(self.set.rules.insert(rule.name.clone(), rule)),
            Part::Tier(tier) => drop(self.set.tiers.insert(tier.name.clone(), tier)),
            Part::DefaultTier(name) => self.set.default_tier = name,
            Part::Override(entry) => drop(self.overrides.insert(key.clone(), entry)),
        }
    }

    pub(crate) fn finish(mut self, number: RevisionNumber) -> Revision {
        let keys = override_keys(&self.stamps);
        let ordered = keys.into_iter().filter_map(|key| self.overrides.remove(&key));
        self.set.overrides = ordered.collect();
        Revision::new(number, self.set, self.stamps)
    }
}

/// In the order of the file.
fn override_keys(stamps: &Stamps) -> Vec<ItemKey> {
    let is_override = |(key, _): &(&ItemKey, &Stamp)| key.kind == ItemKind::Override;
    let mut keys: Vec<(&ItemKey, &Stamp)> = stamps.iter().filter(is_override).collect();
    keys.sort_by_key(|(_, stamp)| stamp.position);
    keys.into_iter().map(|(key, _)| key.clone()).collect()
}
