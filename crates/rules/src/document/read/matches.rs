//! Which requests a rule is about.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    super::{
        findings::{Finding, Findings},
        tree::{Entry, Node, Value},
    },
    fields::Shape,
    list::{items, values},
    network, scalar,
};
use crate::{
    AttributeCondition, DescriptorEntry, Field, Match, Name, normalise, normalise::Method,
};

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
    matches.api_keys = several(
        fields.find("api_key"),
        "api_key",
        findings,
        scalar::identifier,
    );
    matches.regions = several(
        fields.find("region"),
        "region",
        findings,
        scalar::identifier,
    );
    matches.methods = several(fields.find("method"), "method", findings, method);
    matches.networks = several(fields.find("ip"), "ip", findings, network::network);
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
    node.and_then(|node| values(node, what, Match::VALUES_MAX, findings, each))
        .unwrap_or_default()
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
        let message = format!(
            "attributes has {} conditions: write 1 to {max}",
            entries.len()
        );
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
    let read: Vec<Option<DescriptorEntry>> = entries
        .iter()
        .map(|entry| descriptor_entry(entry, findings))
        .collect();
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
            let finding = Finding::error(
                node.head(),
                "an entry of a descriptor is [key] or [key, value]",
            );
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
