//! Between a set of rules and the items it is stored as: the only file that knows both.

use std::{collections::BTreeMap, sync::Arc};

use tollgate_core::RuleId;
use tollgate_rules::{
    Field, Name, Override, Rule, RuleSet, Tier,
    document::{self, Report},
    review::{self, Severity},
};

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
    (key, item(rule.name.as_str(), document::rule_json(rule).to_string()))
}

fn tier(tier: &Tier) -> (ItemKey, Item) {
    let name = tier.name.as_str();
    (ItemKey::new(ItemKind::Tier, name), item(name, document::tier_json(tier).to_string()))
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
        let body = document::override_json(entry).to_string();
        let name = entry.rule.as_ref().map_or("*", Name::as_str).to_owned();
        let hash = RevisionHash::of(&[body.as_bytes()]).to_string();
        let short: String = hash.chars().take(32).collect();
        let times = seen.entry(short.clone()).or_default();
        *times += 1;
        let key = ItemKey::new(ItemKind::Override, format!("{short}-{times}"));
        let stored = Item { position, ..item(&name, body) };
        items.push((key, stored));
    }
    items
}

fn item(name: &str, body: String) -> Item {
    Item { name: name.into(), position: 0, body }
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
            let mut rule = document::read_rule(&item.body).map_err(|report| told(&report))?;
            rule.id = read_rule_id(&key.id)?;
            Ok(Part::Rule(Arc::new(rule)))
        }
        ItemKind::Tier => {
            document::read_tier(&item.body).map(Part::Tier).map_err(|report| told(&report))
        }
        ItemKind::Override => read_override(&item.body).map(Part::Override),
        ItemKind::Setting if &*key.id == SETTING_DEFAULT_TIER => {
            let name = item.body.trim_matches('"').parse::<Name>();
            name.map(Part::DefaultTier).map_err(|error| error.to_string())
        }
        ItemKind::Setting => Err("a setting that this release does not know".to_owned()),
    }
}

/// The id of a rule as it was stored.
pub(crate) fn read_rule_id(text: &str) -> Result<RuleId, String> {
    let id = u128::from_str_radix(text, 16).map_err(|error| error.to_string())?;
    Ok(RuleId::new(id))
}

/// An override as it is stored.
pub(crate) fn override_body(entry: &Override) -> String {
    document::override_json(entry).to_string()
}

/// An override as it was stored, or why that cannot be understood.
pub(crate) fn read_override(body: &str) -> Result<Override, String> {
    document::read_override(body).map_err(|report| told(&report))
}

/// The facts of an override's key as one text, to find it by.
pub(crate) fn facts(key: &BTreeMap<Field, Arc<str>>) -> String {
    let facts: Vec<String> =
        key.iter().map(|(field, value)| format!("{field}={value:?}")).collect();
    facts.join("\n")
}

/// Whether the parts of a set fit together. What is only unwise is for the editor to say.
pub(crate) fn review(set: &RuleSet) -> Result<(), CatalogError> {
    let mut flaws = review::review(set);
    flaws.retain(|flaw| flaw.severity == Severity::Error);
    if flaws.is_empty() { Ok(()) } else { Err(CatalogError::Invalid(flaws)) }
}

/// Whether overrides fit the rules they stand beside.
pub(crate) fn review_overrides(set: &RuleSet, overrides: &[Override]) -> Result<(), CatalogError> {
    let mut flaws = review::review_overrides(set, overrides);
    flaws.retain(|flaw| flaw.severity == Severity::Error);
    if flaws.is_empty() { Ok(()) } else { Err(CatalogError::Invalid(flaws)) }
}

/// The first problem of a report, on one line.
fn told(report: &Report) -> String {
    let first = report.problems.first().map(|problem| problem.message.clone());
    first.unwrap_or_else(|| "it is not a document".to_owned())
}
