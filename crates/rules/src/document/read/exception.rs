//! Overrides.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    super::{
        findings::{Finding, Findings},
        tree::{Entry, Node, Value},
    },
    fields::{Fields, Shape},
    scalar, throttle,
    throttle::{Defaults, limit, limits},
};
use crate::{
    Change, EndpointPattern, Field, Key, Name, Override,
    normalise::{Method, network_of},
};

static OVERRIDE: Shape = Shape {
    what: "an override",
    fields: &["rule", "key", "limit", "limits", "factor", "unlimited", "until", "reason"],
    later: &["timezone", "anchor", "candidate", "shadow", "canary", "concurrency"],
    elsewhere: &[
        ("user", "it belongs under key: key: { user: ... }"),
        ("org", "it belongs under key: key: { org: ... }"),
        ("ip", "it belongs under key: key: { ip: ... }"),
        ("api_key", "it belongs under key: key: { api_key: ... }"),
        ("name", "did you mean \"rule\"?"),
        ("expires", "did you mean \"until\"?"),
        ("burst", "it belongs to the limit: limit: { per: 10/s, burst: 20 }"),
    ],
};

const CHANGES: [&str; 4] = ["limit", "limits", "factor", "unlimited"];

/// Reads an override. `key_of` knows the keys of the rules, as far as they are known.
pub(super) fn exception(
    node: &Node<'_>,
    key_of: impl Fn(&Name) -> Option<Key>,
    findings: &mut Findings,
) -> Option<Override> {
    let fields = OVERRIDE.open(node, findings)?;
    let rule = fields.find("rule");
    let rule = rule.map(|node| scalar::parsed::<Name>(node, "rule", findings));
    let known = rule.as_ref().and_then(|rule| key_of(rule.as_ref()?));
    let key = fields
        .need("key", "key: { user: acme }, or key: {} for a rule with key: []", findings)
        .and_then(|node| values(node, known.as_ref(), findings));
    let change = change(&fields, findings);
    let until = fields.find("until");
    let until = until.map(|node| scalar::moment(node, "until", findings));
    let reason = fields.find("reason");
    let reason = reason.and_then(|node| scalar::note(node, "reason", findings));
    let read = Override {
        rule: rule.map_or(Some(None), |rule| rule.map(Some))?,
        key: key?,
        change: change?,
        until: until.map_or(Some(None), |until| until.map(Some))?,
        reason,
    };
    Some(match known {
        Some(key) => read.fitted(&key),
        None => read,
    })
}

fn change(fields: &Fields<'_, '_>, findings: &mut Findings) -> Option<Change> {
    let given: Vec<&str> = CHANGES.into_iter().filter(|name| fields.find(name).is_some()).collect();
    let [name] = given.as_slice() else {
        let message = match given.as_slice() {
            [] => "an override changes nothing".to_owned(),
            several => format!("an override has {} at once", several.join(" and ")),
        };
        let finding = Finding::error(fields.node.head(), message);
        findings.push(
            finding
                .help("give one of limit: 500/min, limits: [...], factor: 2x and unlimited: true"),
        );
        return None;
    };
    let node = fields.find(name)?;
    refuse_bands(node, findings);
    match *name {
        "limit" => limit(node, Defaults::default(), findings).map(Change::Limit),
        "limits" => limits(node, Defaults::default(), findings).map(Change::Limits),
        "factor" => scalar::parsed(node, "factor", findings).map(Change::Factor),
        _ => {
            let is_unlimited = scalar::truth(node, "unlimited", findings)?;
            if !is_unlimited {
                let finding = Finding::error(node.span, "unlimited: false changes nothing");
                findings.push(finding.help("remove the override, or write unlimited: true"));
            }
            is_unlimited.then_some(Change::Unlimited)
        }
    }
}

/// Thresholds are the rule's, whatever the limit.
fn refuse_bands(node: &Node<'_>, findings: &mut Findings) {
    for node in scalar::one_or_many(node) {
        for name in ["warn_at", "hard_at"] {
            if let Some(entry) = node.entry(name) {
                let message = format!("an override has no {name}");
                let finding = Finding::error(entry.name_span, message);
                findings.push(finding.help("remove it: the thresholds of the rule count"));
            }
        }
    }
}

fn values(
    node: &Node<'_>,
    known: Option<&Key>,
    findings: &mut Findings,
) -> Option<BTreeMap<Field, Arc<str>>> {
    let Value::Map(entries) = &node.value else {
        let message = format!("key of an override must be a mapping, not {}", node.kind());
        let finding = Finding::error(node.head(), message);
        findings.push(finding.help("write the values: key: { user: acme }"));
        return None;
    };
    let read: Vec<Option<(Field, Arc<str>)>> =
        entries.iter().map(|entry| value(entry, known, findings)).collect();
    read.into_iter().collect()
}

fn value(
    entry: &Entry<'_>,
    known: Option<&Key>,
    findings: &mut Findings,
) -> Option<(Field, Arc<str>)> {
    let field = throttle::named_field(&entry.name, entry.name_span, findings);
    let what = format!("key {}", entry.name.chars().take(64).collect::<String>());
    let given = scalar::identifier(&entry.value, &what, findings)?;
    let field = field?;
    match normal(&field, &given, known) {
        Ok(value) => Some((field, value)),
        Err(message) => {
            findings.error(entry.value.span, message);
            None
        }
    }
}

/// The value as a request's facts have it.
fn normal(field: &Field, given: &Arc<str>, known: Option<&Key>) -> Result<Arc<str>, String> {
    match field {
        Field::Ip => address(given, known),
        Field::Method => {
            let method: Method = given.parse().map_err(|error| format!("{error}"))?;
            Ok(method.as_str().into())
        }
        Field::Endpoint => {
            let pattern: EndpointPattern = given.parse().map_err(|error| format!("{error}"))?;
            Ok(pattern.as_str().into())
        }
        Field::Tier => {
            let tier: Name = given.parse().map_err(|error| format!("{error}"))?;
            Ok(tier.as_str().into())
        }
        _ => Ok(given.clone()),
    }
}

fn address(given: &str, known: Option<&Key>) -> Result<Arc<str>, String> {
    let Some((address, prefix)) = scalar::keyed_address(given) else {
        return Err(format!(
            "{given:?} is not an address: write for example 192.0.2.1, 2001:db8::1 or, as a key \
             counts it, 2001:db8::/64"
        ));
    };
    let mut fields = known.map_or([].iter(), |key| key.fields().iter());
    let counted = fields.find(|field| field.alternatives().contains(&Field::Ip));
    match (prefix, counted) {
        (Some(prefix), Some(field)) if prefix != field.ipv6_prefix() => Err(format!(
            "the rule counts addresses by /{}, not by /{prefix}: write one address, or a /{}",
            field.ipv6_prefix(),
            field.ipv6_prefix()
        )),
        (prefix, _) => Ok(network_of(address, prefix.unwrap_or(128)).to_string().into()),
    }
}
