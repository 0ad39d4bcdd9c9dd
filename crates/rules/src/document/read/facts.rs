//! The facts of a request in a test.

use std::{collections::BTreeMap, rc::Rc, sync::Arc};

use tollgate_core::Cost;

use super::{
    super::{
        findings::{Finding, Findings},
        tree::{Node, Value},
    },
    fields::Shape,
    list, matches, scalar,
};
use crate::{Facts, Query, QueryError};

static REQUEST: Shape = Shape {
    what: "a request",
    fields: &[
        "user",
        "org",
        "api_key",
        "ip",
        "tier",
        "endpoint",
        "method",
        "region",
        "attributes",
        "descriptor",
        "cost",
        "scope",
    ],
    later: &[],
    elsewhere: &[
        ("user_id", "did you mean \"user\"?"),
        ("org_id", "did you mean \"org\"?"),
        ("path", "did you mean \"endpoint\"?"),
        ("times", "it belongs to the step, beside request"),
        ("at", "it belongs to the step, beside request"),
    ],
};

type Check = for<'a> fn(Query<'a>, &'a str) -> Result<Query<'a>, QueryError>;

/// The field `request`.
pub(super) fn facts(node: &Node<'_>, findings: &mut Findings) -> Option<Facts> {
    let fields = REQUEST.open(node, findings)?;
    let mut text = |name: &str, check: Check| -> Option<Arc<str>> {
        let node = fields.find(name)?;
        let given = scalar::text(node, name, findings)?;
        match check(Query::new(), given) {
            Ok(_) => Some(given.into()),
            Err(error) => {
                findings.error(node.span, error.to_string());
                None
            }
        }
    };
    let mut facts = Facts {
        user: text("user", |query, text| query.user(text)),
        org: text("org", |query, text| query.org(text)),
        api_key: text("api_key", |query, text| query.api_key(text)),
        ip: text("ip", |query, text| query.ip(text)),
        tier: text("tier", |query, text| query.tier(text)),
        endpoint: text("endpoint", |query, text| query.endpoint(text)),
        method: text("method", |query, text| query.method(text)),
        region: text("region", |query, text| query.region(text)),
        ..Facts::default()
    };
    if let Some(node) = fields.find("attributes") {
        facts.attributes = attributes(node, findings).unwrap_or_default();
    }
    if let Some(node) = fields.find("descriptor") {
        facts.descriptor = descriptor(node, findings);
    }
    if let Some(node) = fields.find("cost") {
        facts.cost = scalar::whole(node, "cost", 0..=u64::MAX, findings).map(Cost::new);
    }
    if let Some(node) = fields.find("scope") {
        facts.scope = scalar::parsed(node, "scope", findings);
    }
    if let Err(error) = facts.query() {
        findings.error(node.head(), error.to_string());
        return None;
    }
    Some(facts)
}

fn attributes(node: &Node<'_>, findings: &mut Findings) -> Option<BTreeMap<Arc<str>, Arc<str>>> {
    let Value::Map(entries) = &node.value else {
        let message = format!("attributes must be a mapping of texts, not {}", node.kind());
        let finding = Finding::error(node.head(), message);
        findings.push(finding.help("write for example attributes: { plan: trial }"));
        return None;
    };
    let read = entries.iter().filter_map(|entry| {
        let name = matches::attribute_name(entry, findings);
        let value = scalar::identifier(&entry.value, "attribute", findings);
        Some((name?, value?))
    });
    Some(read.collect())
}

fn descriptor(node: &Node<'_>, findings: &mut Findings) -> Option<Vec<(Arc<str>, Arc<str>)>> {
    let entries = list::items(node, "descriptor", Query::ATTRIBUTES_MAX, findings)?;
    let read: Vec<Option<(Arc<str>, Arc<str>)>> = entries
        .iter()
        .map(|entry| descriptor_entry(entry, findings))
        .collect();
    read.into_iter().collect()
}

fn descriptor_entry(node: &Rc<Node<'_>>, findings: &mut Findings) -> Option<(Arc<str>, Arc<str>)> {
    let Value::List(parts) = &node.value else {
        findings.error(
            node.head(),
            "an entry of a request's descriptor is [key, value]",
        );
        return None;
    };
    let [key, value] = parts.as_slice() else {
        findings.error(
            node.head(),
            "an entry of a request's descriptor is [key, value]",
        );
        return None;
    };
    let key = scalar::identifier(key, "the key of an entry", findings);
    let value = scalar::text(value, "the value of an entry", findings);
    Some((key?, value?.into()))
}
