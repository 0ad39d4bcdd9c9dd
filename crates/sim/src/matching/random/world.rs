//! A random rule set with everything beside it.

use std::{error::Error, sync::Arc};

use tollgate_core::RuleId;
use tollgate_rules::{
    ApiKey, Block, Directory, KeyCard, KeyDigest, Name, Override, Query, Quota, Rule, RuleSet,
};

use super::{
    exceptions::{block, exception},
    rule::{Temper, limits, rule},
    words,
};
use crate::{Rng, matching::Beside};

/// A rule set, the overrides of the API by their ids, and the blocks.
#[derive(Clone, Debug)]
pub struct World {
    /// The rules, with the overrides of the file.
    pub rules: RuleSet,
    /// The overrides of the API.
    pub api: Vec<(u64, Override)>,
    /// The blocks; no two of one fact.
    pub blocks: Vec<Block>,
    /// API keys that were issued; their ids are those that requests have.
    pub keys: Vec<ApiKey>,
    /// What is agreed with some users.
    pub quotas: Vec<Quota>,
}

impl World {
    /// Any world of so many rules.
    ///
    /// # Errors
    ///
    /// None; a refusal would be a bug in the values a rule is made of.
    pub fn new(rng: &mut Rng, size: u64) -> Result<Self, Box<dyn Error>> {
        let mut rules = RuleSet::default();
        rules.default_tier = rng.pick(&["free", "premium"]).parse()?;
        for name in words::TIERS {
            if let Some(tier) = rules.tiers.get_mut(name) {
                tier.default = rng.one_in(2).then(|| limits(rng)).transpose()?;
            }
        }
        let temper = Temper::new(rng);
        for number in 0..size {
            let rule = rule(rng, number, temper)?;
            rules.rules.insert(rule.name.clone(), Arc::new(rule));
        }
        let all: Vec<Arc<Rule>> = rules.rules.values().cloned().collect();
        for _ in 0..rng.below(size + 5) {
            rules.overrides.push(exception(rng, &all)?);
        }
        let mut api = Vec::new();
        for id in 0..rng.below(size + 5) {
            api.push((id, exception(rng, &all)?));
        }
        shuffle(rng, &mut api);
        Ok(Self { rules, api, blocks: blocks(rng), keys: keys(rng)?, quotas: quotas(rng)? })
    }

    /// The overrides of the API and the blocks, as they stand beside a snapshot.
    pub fn directory(&self) -> Directory {
        let directory = Directory::new();
        for (id, exception) in &self.api {
            let rule = exception.rule.as_ref().map(|name| self.rule_id(name));
            directory.put(*id, rule, exception);
        }
        for block in &self.blocks {
            directory.block(block);
        }
        directory.put_keys(self.keys.iter().cloned());
        directory.put_quotas(self.quotas.iter().cloned());
        directory
    }

    /// What stands beside the rules, for the model.
    pub fn beside(&self) -> Beside<'_> {
        Beside { api: &self.api, blocks: &self.blocks, keys: &self.keys, quotas: &self.quotas }
    }

    /// The API key that a request showed, if it is one that was issued.
    pub fn card(&self, directory: &Directory, query: &Query<'_>) -> Option<Arc<KeyCard>> {
        let key = self.keys.iter().find(|key| query.api_key_id() == Some(&*key.id))?;
        directory.key(&key.digest)
    }

    fn rule_id(&self, name: &Name) -> RuleId {
        let rule = self.rules.rules.get(name);
        rule.map_or_else(|| name.rule_id(), |rule| rule.id)
    }
}

/// The order in which they are put has no meaning, only their ids have.
fn shuffle<T>(rng: &mut Rng, list: &mut [T]) {
    for last in (1..list.len()).rev() {
        let bound = u64::try_from(last + 1).unwrap_or(u64::MAX);
        list.swap(last, usize::try_from(rng.below(bound)).unwrap_or(0));
    }
}

/// Some of the keys that requests show were issued here, some of those have limits.
fn keys(rng: &mut Rng) -> Result<Vec<ApiKey>, Box<dyn Error>> {
    let mut keys = Vec::new();
    for (number, id) in (1_u8..).zip(words::API_KEYS) {
        if rng.one_in(2) {
            let mut key = ApiKey::new(id.into(), KeyDigest::new([number; 32]));
            key.limits = rng.one_in(2).then(|| limits(rng)).transpose()?;
            keys.push(key);
        }
    }
    Ok(keys)
}

fn quotas(rng: &mut Rng) -> Result<Vec<Quota>, Box<dyn Error>> {
    let mut quotas = Vec::new();
    for user in words::USERS {
        if rng.one_in(3) {
            let mut quota = Quota::new(user.into());
            quota.tier = rng.one_in(2).then(|| rng.pick(&words::TIERS).into());
            quota.limits = rng.one_in(2).then(|| limits(rng)).transpose()?;
            quotas.push(quota);
        }
    }
    Ok(quotas)
}

fn blocks(rng: &mut Rng) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    if rng.one_in(2) {
        return blocks;
    }
    for _ in 0..rng.below(4) {
        let block = block(rng);
        blocks.retain(|known| (&known.field, &known.value) != (&block.field, &block.value));
        blocks.push(block);
    }
    blocks
}
