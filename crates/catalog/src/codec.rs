//! Between a set of rules and the items it is stored as: the only file that knows both.

use std::{collections::BTreeMap, sync::Arc};

use tollgate_core::RuleId;
use tollgate_rules::{Field, Name, Override, Rule, RuleSet, Tier};

use crate::{
    CatalogError, ItemKey, ItemKind, RevisionHash,
    item::{Item, Items},
};

pub(crate) const SETTING_DEFAULT_TIER: &str = "default_tier";

/// Everything in a set.
pub(crate) fn items(set: &RuleSet) -> Items {
    items_except(set, |_| false)
}

/// Everything in a set but the rules that need not be written out.
pub(crate) fn items_except(set: &RuleSet, is_known: impl Fn(&Arc<Rule>) -> bool) -> Items {
    let mut items = Items::new();
    let (key, item) = default_tier(&set.default_tier);
    items.insert(key, item);
    items.extend(set.tiers.values().map(tier));
    let rules = set.rules.values().filter(|rule| !is_known(rule));
    items.extend(rules.map(|rule| self::rule(rule)));
    items.extend(overrides(&set.overrides));
    items
}

pub(crate) fn rule(rule: &Rule) -> (ItemKey, Item) {
    let key = ItemKey::new(ItemKind::Rule, rule.id.to_string());
    (key, item(rule.name.as_str(), stub::rule_json(rule)))
}

fn tier(tier: &Tier) -> (ItemKey, Item) {
    let name = tier.name.as_str();
    (
        ItemKey::new(ItemKind::Tier, name),
        item(name, stub::tier_json(tier)),
    )
}

fn default_tier(name: &Name) -> (ItemKey, Item) {
    let key = ItemKey::new(ItemKind::Setting, SETTING_DEFAULT_TIER);
    (key, item(SETTING_DEFAULT_TIER, format!("\"{name}\"")))
}

/// An override has no name of its own: it is what it says, and where equal ones stand, the how-manieth.
/// Their order counts.
fn overrides(overrides: &[Override]) -> Vec<(ItemKey, Item)> {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let mut items = Vec::with_capacity(overrides.len());
    for (position, entry) in (0..).zip(overrides) {
        let body = stub::override_json(entry);
        let name = entry.rule.as_ref().map_or("*", Name::as_str).to_owned();
        let hash = RevisionHash::of(&[body.as_bytes()]).to_string();
        let short: String = hash.chars().take(32).collect();
        let times = seen.entry(short.clone()).or_default();
        *times += 1;
        let key = ItemKey::new(ItemKind::Override, format!("{short}-{times}"));
        let stored = Item {
            position,
            ..item(&name, body)
        };
        items.push((key, stored));
    }
    items
}

fn item(name: &str, body: String) -> Item {
    Item {
        name: name.into(),
        position: 0,
        body,
    }
}

/// An item that was read: where it goes in a set.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Rule(Arc<Rule>),
    Tier(Tier),
    DefaultTier(Name),
    Override(Override),
}

/// What an item says, or why that cannot be understood.
pub(crate) fn part(key: &ItemKey, item: &Item) -> Result<Part, String> {
    match key.kind {
        ItemKind::Rule => {
            let mut rule = stub::read_rule(&item.body)?;
            let id = u128::from_str_radix(&key.id, 16).map_err(|error| error.to_string())?;
            rule.id = RuleId::new(id);
            Ok(Part::Rule(Arc::new(rule)))
        }
        ItemKind::Tier => stub::read_tier(&item.body).map(Part::Tier),
        ItemKind::Override => {
            let entry = stub::read_override(&item.body)?;
            Ok(Part::Override(entry))
        }
        ItemKind::Setting if &*key.id == SETTING_DEFAULT_TIER => {
            let name = item.body.trim_matches('"').parse::<Name>();
            name.map(Part::DefaultTier)
                .map_err(|error| error.to_string())
        }
        ItemKind::Setting => Err("a setting that this release does not know".to_owned()),
    }
}

/// An override as it is stored.
pub(crate) fn override_body(entry: &Override) -> String {
    stub::override_json(entry)
}

/// An override as it was stored, or why that cannot be understood.
pub(crate) fn read_override(body: &str) -> Result<Override, String> {
    stub::read_override(body)
}

/// The facts of an override's key as one text, to find it by.
pub(crate) fn facts(key: &BTreeMap<Field, Arc<str>>) -> String {
    let facts: Vec<String> = key
        .iter()
        .map(|(field, value)| format!("{field}={value:?}"))
        .collect();
    facts.join("\n")
}

/// Whether the parts of a set fit together.
pub(crate) fn review(set: &RuleSet) -> Result<(), CatalogError> {
    if set.rules.len() > RuleSet::RULES_MAX {
        let (given, max) = (set.rules.len(), RuleSet::RULES_MAX);
        return Err(CatalogError::TooMany {
            what: "rules",
            given,
            max,
        });
    }
    Ok(())
}

/// Stands in until the documents are there.
mod stub {
    use tollgate_rules::{Key, Name, Override, Rule, Tier};

    pub(super) fn rule_json(rule: &Rule) -> String {
        format!("{}|{}", rule.name, rule.priority)
    }
    pub(super) fn read_rule(text: &str) -> Result<Rule, String> {
        let (name, priority) = text.split_once('|').ok_or("no priority")?;
        let name: Name = name
            .parse()
            .map_err(|e: tollgate_rules::NameError| e.to_string())?;
        let key = Key::new([]).map_err(|e| e.to_string())?;
        let mut rule = Rule::throttle(name, key, "5/min".parse().map_err(|_| "limit")?);
        rule.priority = priority.parse().map_err(|_| "number")?;
        Ok(rule)
    }
    pub(super) fn tier_json(tier: &Tier) -> String {
        format!("{}|{}", tier.name, tier.rank)
    }
    pub(super) fn read_tier(text: &str) -> Result<Tier, String> {
        let (name, rank) = text.split_once('|').ok_or("no rank")?;
        let name: Name = name
            .parse()
            .map_err(|e: tollgate_rules::NameError| e.to_string())?;
        Ok(Tier::new(name, rank.parse().map_err(|_| "number")?))
    }
    pub(super) fn override_json(_: &Override) -> String {
        String::new()
    }
    pub(super) fn read_override(_: &str) -> Result<Override, String> {
        Err("no overrides yet".to_owned())
    }
}
