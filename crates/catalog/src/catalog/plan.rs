//! From what is there and what is wanted to what must be written. Nothing here talks to a database.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use tollgate_core::RuleId;
use tollgate_rules::{Name, Rule, RuleSet, diff};

use super::{
    audit::{self, Change},
    edit::{Base, Conflict, Edit, Expect, Step},
};
use crate::{
    CatalogError, ItemKey, ItemKind, Revision, RevisionHash, RevisionNumber, codec,
    item::{Item, hash_all},
};

/// What one write does.
#[derive(Debug)]
pub(super) struct Plan {
    /// The hash of everything afterwards.
    pub(super) hash: RevisionHash,
    /// What is no longer part of it, or not as it was.
    pub(super) closed: Vec<ItemKey>,
    pub(super) opened: Vec<Opened>,
    /// How many items are new, gone or different.
    pub(super) changed: u64,
    /// Which, for the audit.
    pub(super) changes: Vec<Change>,
}

/// An item to be stored.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) key: ItemKey,
    pub(super) item: Item,
    pub(super) hash: RevisionHash,
    /// The revision that created it; none is this one.
    pub(super) created_in: Option<RevisionNumber>,
}

/// The steps of an edit, taken on what is there.
pub(super) fn edited(head: &Arc<Revision>, edit: &Edit) -> Result<RuleSet, CatalogError> {
    if edit.steps.len() > Edit::STEPS_MAX {
        return Err(CatalogError::TooMany {
            what: "steps of an edit",
            given: edit.steps.len(),
            max: Edit::STEPS_MAX,
        });
    }
    let mut set = (*head.set).clone();
    edit.steps.iter().for_each(|(step, _)| take(step, &mut set));
    let in_the_way = edit.steps.iter().find(|(step, expect)| {
        let found = step.found(head);
        // What is not there cannot be taken away.
        let is_lost = matches!(step, Step::RemoveRule(_) | Step::RemoveTier(_)) && found.is_none();
        // A rule of another name must not vanish under this one.
        let covers = matches!(step, Step::Rule { name, rule }
            if *name != rule.name && (found.is_none() || head.set.rules.contains_key(&rule.name)));
        is_lost || covers || !expect.holds(found)
    });
    let Some((step, expected)) = in_the_way else {
        return Ok(set);
    };
    Err(conflict(head, set, step, *expected))
}

fn conflict(head: &Arc<Revision>, ours: RuleSet, step: &Step, expected: Expect) -> CatalogError {
    let found = step.found(head);
    let (subject, found, expected) = match step {
        Step::Rule { name, rule } if *name != rule.name && found.is_some() => {
            let taken = head.rule_stamp(&rule.name).map(|stamp| stamp.version);
            match taken {
                Some(version) => (format!("rule {}", rule.name), Some(version), Expect::Absent),
                None => (step.subject(), found, expected),
            }
        }
        _ => (step.subject(), found, expected),
    };
    let author = found.and_then(|version| {
        let mut stamps = head.stamps.values();
        stamps.find(|stamp| stamp.version == version).map(|stamp| Arc::clone(&stamp.updated.by))
    });
    CatalogError::Conflict(Box::new(Conflict {
        subject,
        expected,
        found,
        author,
        head: Arc::clone(head),
        ours: Arc::new(ours),
    }))
}

fn take(step: &Step, set: &mut RuleSet) {
    match step {
        Step::Rule { name, rule } => {
            let before = set.rules.remove(name);
            let id = before.map_or(rule.id, |before| before.id);
            set.rules.insert(rule.name.clone(), with_id(rule, id));
        }
        Step::RemoveRule(name) => drop(set.rules.remove(name)),
        Step::Tier(tier) => drop(set.tiers.insert(tier.name.clone(), tier.clone())),
        Step::RemoveTier(name) => drop(set.tiers.remove(name)),
        Step::DefaultTier(name) => set.default_tier = name.clone(),
    }
}

/// A whole set in the place of what is there. Rules that are there keep their ids, whatever they were
/// called when they were created.
pub(super) fn applied(
    head: &Arc<Revision>,
    set: &RuleSet,
    base: Base,
) -> Result<RuleSet, CatalogError> {
    let mut set = set.clone();
    set.adopt_ids(&head.set);
    based(head, base, &set)?;
    Ok(set)
}

/// Whether what is there is what the set was made from.
pub(super) fn based(head: &Arc<Revision>, base: Base, ours: &RuleSet) -> Result<(), CatalogError> {
    let Base::Revision(expected) = base else {
        return Ok(());
    };
    if expected == head.number {
        return Ok(());
    }
    let mut stamps = head.stamps.values();
    let newest = stamps.find(|stamp| stamp.version == head.number);
    Err(CatalogError::Conflict(Box::new(Conflict {
        subject: "the catalog".to_owned(),
        expected: Expect::Version(expected),
        found: Some(head.number),
        author: newest.map(|stamp| Arc::clone(&stamp.updated.by)),
        head: Arc::clone(head),
        ours: Arc::new(ours.clone()),
    })))
}

/// The same rule under another id; the very same where it has it already, so that what is unchanged is
/// recognised without being read.
fn with_id(rule: &Arc<Rule>, id: RuleId) -> Arc<Rule> {
    if rule.id == id {
        return Arc::clone(rule);
    }
    let mut rule = (**rule).clone();
    rule.id = id;
    Arc::new(rule)
}

/// Two rules never share an id: a rule that takes the first name of a renamed one gets an id of its own.
pub(super) fn part_ids(head: &Revision, set: &mut RuleSet) {
    let mut owners: BTreeMap<RuleId, Name> = BTreeMap::new();
    // Who has the id already keeps it.
    for (name, rule) in &set.rules {
        let is_theirs = head.set.rules.get(name).is_some_and(|theirs| theirs.id == rule.id);
        if is_theirs || !owners.contains_key(&rule.id) {
            owners.insert(rule.id, name.clone());
        }
    }
    let taken: BTreeSet<RuleId> = owners.keys().copied().collect();
    for (name, rule) in &mut set.rules {
        if owners.get(&rule.id) != Some(name) {
            *rule = with_id(rule, other_id(name, rule.id, &taken));
        }
    }
}

fn other_id(name: &Name, id: RuleId, taken: &BTreeSet<RuleId>) -> RuleId {
    let mut id = id;
    while taken.contains(&id) {
        let hash = RevisionHash::of(&[name.as_str().as_bytes(), &id.get().to_le_bytes()]);
        let bytes = hash.as_bytes().first_chunk().copied().unwrap_or_default();
        id = RuleId::new(u128::from_le_bytes(bytes));
    }
    id
}

/// What must be written so that `set` takes the place of `head`.
pub(super) fn plan(head: &Revision, set: &RuleSet) -> Plan {
    let same_rules: BTreeSet<ItemKey> = unchanged_rules(head, set);
    let mut hashes: BTreeMap<ItemKey, RevisionHash> = BTreeMap::new();
    let mut opened = Vec::new();
    for (key, item) in codec::items_except(set, |rule| is_same(head, rule)) {
        let hash = item.hash(&key);
        hashes.insert(key.clone(), hash);
        let stamp = head.stamps.get(&key);
        if stamp.is_some_and(|stamp| stamp.hash == hash) {
            continue;
        }
        opened.push(Opened { created_in: stamp.map(|stamp| stamp.created_in), key, item, hash });
    }
    let kept = |key: &ItemKey| hashes.contains_key(key) || same_rules.contains(key);
    let removed: Vec<ItemKey> = head.stamps.keys().filter(|key| !kept(key)).cloned().collect();
    for key in same_rules {
        if let Some(stamp) = head.stamps.get(&key) {
            hashes.insert(key, stamp.hash);
        }
    }
    let replaced =
        opened.iter().map(|opened| &opened.key).filter(|key| head.stamps.contains_key(*key));
    let closed: Vec<ItemKey> = replaced.cloned().chain(removed).collect();
    Plan {
        hash: hash_all(hashes.values()),
        changes: audit::changes(head, &opened, &closed),
        closed,
        opened,
        // What differs in no meaning, such as the order of overrides, is still a change.
        changed: u64::try_from(diff(&head.set, set).len()).map_or(u64::MAX, |count| count.max(1)),
    }
}

/// Rules that are the very same, and so need not be written out to be compared.
fn unchanged_rules(head: &Revision, set: &RuleSet) -> BTreeSet<ItemKey> {
    let same = set.rules.values().filter(|rule| is_same(head, rule));
    same.map(|rule| ItemKey::new(ItemKind::Rule, rule.id.to_string())).collect()
}

fn is_same(head: &Revision, rule: &Arc<Rule>) -> bool {
    let theirs = head.set.rules.get(&rule.name);
    theirs.is_some_and(|theirs| Arc::ptr_eq(theirs, rule)) && !head.stamps.is_empty()
}
