//! A rule.

use std::{collections::BTreeMap, sync::Arc};

use tollgate_core::RuleId;
use uuid::Uuid;

use super::{
    super::{
        findings::{Finding, Findings},
        tree::{Entry, Node, Value},
    },
    fields::{Fields, Shape},
    scalar,
    scalar::{items, values},
    throttle,
};
use crate::{
    Action, AttributeCondition, DescriptorEntry, Field, Match, Name, Rule, normalise,
    normalise::Method,
};

const ELSEWHERE: &[(&str, &str)] = &[
    ("id", "ids are given by Tollgate; use renamed_from to keep counters"),
    ("tier", "it belongs under match: match: { tier: ... }"),
    ("user", "it belongs under match: match: { user: ... }"),
    ("org", "it belongs under match: match: { org: ... }"),
    ("api_key", "it belongs under match: match: { api_key: ... }"),
    ("region", "it belongs under match: match: { region: ... }"),
    ("endpoint", "it belongs under match: match: { endpoint: ... }"),
    ("path", "write match: { endpoint: ... }"),
    ("method", "it belongs under match: match: { method: ... }"),
    ("ip", "it belongs under match: match: { ip: ... }"),
    ("attributes", "it belongs under match: match: { attributes: ... }"),
    ("descriptor", "it belongs under match: match: { descriptor: ... }"),
    ("burst", "it belongs to the limit: limit: { per: 10/s, burst: 20 }"),
    ("per", "it belongs to the limit: limit: { per: 10/s, burst: 20 }"),
    ("status", "it belongs to the response: response: { status: 429 }"),
    ("message", "it belongs to the response: response: { message: ... }"),
    ("retry_after", "it belongs to the response: response: { retry_after: 30 }"),
    ("tiers", "a rule is for one tier: match: { tier: free }, and another rule for the next tier"),
    ("when", "did you mean \"match\"?"),
    ("rate", "did you mean \"limit\"?"),
    ("by", "did you mean \"key\"?"),
];

const LATER: &[&str] = &["timezone", "anchor", "candidate", "shadow", "canary", "concurrency"];

macro_rules! rule_fields {
    ($($more:literal),*) => {
        &[
            "name", "match", "key", "missing", "limit", "limits", "algorithm", "priority", "group",
            "cost", "action", "consistency", "on_failure", "response", "warn_at", "hard_at",
            "enabled", "owner", "reason", "renamed_from", $($more),*
        ]
    };
}

static IN_FILE: Shape =
    Shape { what: "a rule", fields: rule_fields!(), later: LATER, elsewhere: ELSEWHERE };

static STORED: Shape =
    Shape { what: "a rule", fields: rule_fields!("id"), later: LATER, elsewhere: ELSEWHERE };

/// Where a rule comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A file: its id follows from its name.
    File,
    /// The catalog, which knows its id.
    Catalog,
}

/// What could be read of a rule.
pub(super) struct Attempt {
    /// Its name, even if the rest is wrong.
    pub(super) name: Option<Name>,
    pub(super) rule: Option<Rule>,
}

#[derive(Clone, Copy)]
enum Verb {
    Throttle,
    Block,
    Allow,
}

const ACTIONS: [(&str, Verb); 3] =
    [("throttle", Verb::Throttle), ("block", Verb::Block), ("allow", Verb::Allow)];

/// Reads a rule.
pub(super) fn rule(node: &Node<'_>, origin: Origin, findings: &mut Findings) -> Attempt {
    let shape = match origin {
        Origin::File => &IN_FILE,
        Origin::Catalog => &STORED,
    };
    let Some(fields) = shape.open(node, findings) else {
        return Attempt { name: None, rule: None };
    };
    let name: Option<Name> = fields
        .need("name", "name: login", findings)
        .and_then(|node| scalar::parsed(node, "name", findings));
    let matches = match fields.find("match") {
        Some(node) => matches(node, findings),
        None => Some(Match::everything()),
    };
    let action = action(&fields, findings);
    let rule = name.clone().map(|name| {
        let mut rule = Rule::new(name, Action::Block);
        details(&mut rule, &fields, findings);
        rule
    });
    let rule = rule.and_then(|mut rule| {
        rule.matches = matches?;
        rule.action = action?;
        Some(rule)
    });
    Attempt { name, rule }
}

fn action(fields: &Fields<'_, '_>, findings: &mut Findings) -> Option<Action> {
    let verb = match fields.find("action") {
        None => Verb::Throttle,
        Some(node) => scalar::word(node, "action", &ACTIONS, findings)?,
    };
    match verb {
        Verb::Throttle => throttle::throttle(fields, findings).map(Action::Throttle),
        Verb::Block => {
            throttle::refuse(fields, "block", findings);
            Some(Action::Block)
        }
        Verb::Allow => {
            throttle::refuse(fields, "allow", findings);
            if let Some(span) = fields.name_span("response") {
                let message = "a rule with action: allow has no response";
                let finding = Finding::error(span, message);
                findings.push(finding.help("it denies nobody: remove it"));
            }
            Some(Action::Allow)
        }
    }
}

/// Everything but the name, the conditions and the action.
fn details(rule: &mut Rule, fields: &Fields<'_, '_>, findings: &mut Findings) {
    if let Some(node) = fields.find("priority") {
        let priority = scalar::whole(node, "priority", i32::MIN..=i32::MAX, findings);
        rule.priority = priority.unwrap_or_default();
    }
    if let Some(node) = fields.find("enabled") {
        rule.enabled = scalar::truth(node, "enabled", findings).unwrap_or(true);
    }
    if let Some(node) = fields.find("response") {
        rule.response = throttle::response(node, findings).unwrap_or_default();
    }
    if let Some(node) = fields.find("owner") {
        rule.owner = scalar::note(node, "owner", findings);
    }
    if let Some(node) = fields.find("reason") {
        rule.reason = scalar::note(node, "reason", findings);
    }
    if let Some(node) = fields.find("renamed_from") {
        rule.renamed_from = renamed_from(node, &rule.name, findings);
    }
    let first = rule.renamed_from.as_ref().unwrap_or(&rule.name);
    rule.id = first.rule_id();
    if let Some(id) = fields.find("id").and_then(|node| id(node, findings)) {
        rule.id = id;
    }
}

fn renamed_from(node: &Node<'_>, name: &Name, findings: &mut Findings) -> Option<Name> {
    let old: Name = scalar::parsed(node, "renamed_from", findings)?;
    if old == *name {
        let finding = Finding::error(node.span, "renamed_from is the rule's own name");
        findings.push(finding.help("write the name it had before, or remove the field"));
        return None;
    }
    Some(old)
}

fn id(node: &Node<'_>, findings: &mut Findings) -> Option<RuleId> {
    let given = scalar::text(node, "id", findings)?;
    let id = Uuid::try_parse(given).ok();
    if id.is_none() {
        findings.error(node.span, "id is not a UUID");
    }
    id.map(|id| RuleId::new(id.as_u128()))
}

static MATCH: Shape = Shape {
    what: "match",
    fields: &[
        "tier",
        "user",
        "org",
        "api_key",
        "region",
        "endpoint",
        "method",
        "ip",
        "attributes",
        "descriptor",
    ],
    later: &[],
    elsewhere: &[
        ("path", "did you mean \"endpoint\"?"),
        ("url", "did you mean \"endpoint\"?"),
        ("cidr", "did you mean \"ip\"?"),
        ("key", "it belongs to the rule, beside match"),
        ("limit", "it belongs to the rule, beside match"),
        ("priority", "it belongs to the rule, beside match"),
        ("action", "it belongs to the rule, beside match"),
    ],
};

static CONDITION: Shape = Shape {
    what: "an attribute's condition",
    fields: &["prefix", "suffix"],
    later: &["regex", "contains", "not"],
    elsewhere: &[("one_of", "write a list: { plan: [trial, basic] }")],
};

/// The field `match`.
pub(super) fn matches(node: &Node<'_>, findings: &mut Findings) -> Option<Match> {
    let fields = MATCH.open(node, findings)?;
    let errors = findings.errors();
    let mut matches = Match::everything();
    matches.tiers = several(fields.find("tier"), "tier", findings, tier);
    matches.users = several(fields.find("user"), "user", findings, scalar::identifier);
    matches.orgs = several(fields.find("org"), "org", findings, scalar::identifier);
    matches.api_keys = several(fields.find("api_key"), "api_key", findings, scalar::identifier);
    matches.regions = several(fields.find("region"), "region", findings, scalar::identifier);
    matches.methods = several(fields.find("method"), "method", findings, method);
    matches.networks = several(fields.find("ip"), "ip", findings, scalar::network);
    if let Some(node) = fields.find("endpoint") {
        matches.endpoint = scalar::parsed(node, "endpoint", findings);
    }
    if let Some(node) = fields.find("attributes") {
        matches.attributes = attributes(node, findings);
    }
    if let Some(node) = fields.find("descriptor") {
        matches.descriptor = descriptor(node, findings);
    }
    // What is missing here because it is wrong would match too much.
    (findings.errors() == errors).then_some(matches)
}

fn several<T: Clone + Eq + std::hash::Hash>(
    node: Option<&Node<'_>>,
    what: &str,
    findings: &mut Findings,
    each: impl Fn(&Node<'_>, &str, &mut Findings) -> Option<T>,
) -> Vec<T> {
    node.and_then(|node| values(node, what, Match::VALUES_MAX, findings, each)).unwrap_or_default()
}

fn tier(node: &Node<'_>, what: &str, findings: &mut Findings) -> Option<Name> {
    scalar::parsed(node, what, findings)
}

fn method(node: &Node<'_>, what: &str, findings: &mut Findings) -> Option<Method> {
    scalar::parsed(node, what, findings)
}

fn attributes(node: &Node<'_>, findings: &mut Findings) -> BTreeMap<Arc<str>, AttributeCondition> {
    let Value::Map(entries) = &node.value else {
        let message = format!("attributes must be a mapping, not {}", node.kind());
        let finding = Finding::error(node.head(), message);
        findings.push(finding.help("write for example attributes: { plan: trial }"));
        return BTreeMap::new();
    };
    let max = Match::ATTRIBUTES_MAX;
    if entries.len() > max || entries.is_empty() {
        let message = format!("attributes has {} conditions: write 1 to {max}", entries.len());
        findings.error(node.head(), message);
        return BTreeMap::new();
    }
    let read = entries.iter().filter_map(|entry| {
        let name = attribute_name(entry, findings);
        let condition = condition(&entry.value, findings);
        Some((name?, condition?))
    });
    read.collect()
}

/// The name of an attribute, exactly as a request carries it.
pub(super) fn attribute_name(entry: &Entry<'_>, findings: &mut Findings) -> Option<Arc<str>> {
    let is_short = entry.name.len() <= Field::ATTRIBUTE_BYTES_MAX;
    if is_short && normalise::identifier(&entry.name) == Ok(Some(&*entry.name)) {
        return Some((&*entry.name).into());
    }
    let max = Field::ATTRIBUTE_BYTES_MAX;
    let message = format!(
        "an attribute's name has 1 to {max} bytes, no blanks around it and no control characters"
    );
    findings.error(entry.name_span, message);
    None
}

fn condition(node: &Node<'_>, findings: &mut Findings) -> Option<AttributeCondition> {
    match &node.value {
        Value::List(_) => {
            let each = scalar::identifier;
            let list = values(node, "attribute", Match::VALUES_MAX, findings, each)?;
            Some(AttributeCondition::OneOf(list))
        }
        Value::Map(_) => {
            let fields = CONDITION.open(node, findings)?;
            let part = |name: &'static str, findings: &mut Findings| {
                let node = fields.find(name)?;
                scalar::part(node, name, findings)
            };
            match (fields.find("prefix"), fields.find("suffix")) {
                (Some(_), None) => Some(AttributeCondition::Prefix(part("prefix", findings)?)),
                (None, Some(_)) => Some(AttributeCondition::Suffix(part("suffix", findings)?)),
                (None, None) if !fields.is_empty() => None,
                _ => {
                    let message = "an attribute's condition has one of prefix and suffix";
                    let finding = Finding::error(node.head(), message);
                    findings.push(finding.help("write for example { prefix: trial- }"));
                    None
                }
            }
        }
        _ => scalar::identifier(node, "attribute", findings).map(AttributeCondition::Exact),
    }
}

fn descriptor(node: &Node<'_>, findings: &mut Findings) -> Option<Vec<DescriptorEntry>> {
    let entries = items(node, "descriptor", Match::ATTRIBUTES_MAX, findings)?;
    if entries.is_empty() {
        let finding = Finding::error(node.span, "descriptor has no entry");
        findings.push(finding.help("write for example [[remote_address], [path, /login]]"));
    }
    let read: Vec<Option<DescriptorEntry>> =
        entries.iter().map(|entry| descriptor_entry(entry, findings)).collect();
    read.into_iter().collect()
}

fn descriptor_entry(node: &Node<'_>, findings: &mut Findings) -> Option<DescriptorEntry> {
    let parts = match &node.value {
        Value::List(parts) => parts.as_slice(),
        _ => &[],
    };
    let (key, value) = match parts {
        [key] => (key, None),
        [key, value] => (key, Some(value)),
        _ => {
            let finding =
                Finding::error(node.head(), "an entry of a descriptor is [key] or [key, value]");
            findings.push(finding.help("write for example [remote_address] or [path, /login]"));
            return None;
        }
    };
    let key = scalar::identifier(key, "the key of an entry", findings);
    let value = match value {
        None => None,
        Some(node) => Some(scalar::identifier(node, "the value of an entry", findings)?),
    };
    Some(DescriptorEntry { key: key?, value })
}
