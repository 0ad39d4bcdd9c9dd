//! The tests of a file.

use std::{collections::BTreeMap, rc::Rc, sync::Arc};

use tollgate_core::{Cost, Micros};

use super::{
    super::{
        findings::{Finding, Findings},
        span::Span,
        tree::{Node, Value},
    },
    fields::{Fields, Shape},
    rule, scalar,
};
use crate::{Expect, ExpectRule, Facts, Query, QueryError, Response, Step, Trial};

static TRIAL: Shape = Shape {
    what: "a test",
    fields: &["name", "start", "steps"],
    later: &[],
    elsewhere: &[
        ("request", "it belongs to a step: steps: [{ request: ..., expect: allow }]"),
        ("expect", "it belongs to a step: steps: [{ request: ..., expect: allow }]"),
    ],
};

static STEP: Shape = Shape {
    what: "a step",
    fields: &["at", "request", "times", "expect", "rule", "remaining", "retry_after", "status"],
    later: &[],
    elsewhere: &[
        ("user", "it belongs to the request: request: { user: ... }"),
        ("endpoint", "it belongs to the request: request: { endpoint: ... }"),
        ("ip", "it belongs to the request: request: { ip: ... }"),
        ("after", "did you mean \"at\"? it counts from the start of the test"),
    ],
};

const EXPECT: [(&str, Expect); 2] = [("allow", Expect::Allow), ("deny", Expect::Deny)];

/// The field `tests`. The lines are places for now; see [`Sited`].
pub(super) fn trials(node: &Node<'_>, findings: &mut Findings) -> Vec<Sited> {
    let items = scalar::items(node, "tests", Trial::COUNT_MAX, findings).unwrap_or_default();
    items.iter().filter_map(|item| trial(item, findings)).collect()
}

/// A test, with where the rules it expects are named, and where its parts stand.
pub(super) struct Sited {
    pub(super) trial: Trial,
    pub(super) span: Span,
    pub(super) steps: Vec<Span>,
    pub(super) rules: Vec<(Span, ExpectRule)>,
}

fn trial(node: &Node<'_>, findings: &mut Findings) -> Option<Sited> {
    let fields = TRIAL.open(node, findings)?;
    let name = fields
        .need("name", "name: five logins a minute", findings)
        .and_then(|node| scalar::note(node, "name", findings));
    let start = fields.find("start");
    let start = start.and_then(|node| scalar::moment(node, "start", findings));
    let steps =
        fields.need("steps", "steps: [{ request: { user: alice }, expect: allow }]", findings)?;
    let steps = scalar::items(steps, "steps", Trial::STEPS_MAX, findings)?;
    let mut now = Micros::ZERO;
    let mut rules = Vec::new();
    let mut read = Vec::with_capacity(steps.len());
    for node in steps {
        let Some(step) = step(node, now, findings) else {
            continue;
        };
        now = step.at;
        if let (Some(rule), Some(entry)) = (&step.rule, node.entry("rule")) {
            rules.push((entry.value.span, rule.clone()));
        }
        read.push(step);
    }
    let trial = Trial { name: name?, start: start.unwrap_or(Trial::START), steps: read, line: 0 };
    let steps = steps.iter().map(|step| step.head()).collect();
    Some(Sited { trial, span: node.head(), steps, rules })
}

fn step(node: &Node<'_>, now: Micros, findings: &mut Findings) -> Option<Step> {
    let fields = STEP.open(node, findings)?;
    let at = fields.find("at");
    let at = at.map_or(Some(now), |node| moment(node, now, findings));
    let request = fields
        .need("request", "request: { user: alice }", findings)
        .and_then(|node| facts(node, findings));
    let times = fields.find("times");
    let times =
        times.map_or(Some(1), |node| scalar::whole(node, "times", 1..=Step::TIMES_MAX, findings));
    let expect = fields
        .need("expect", "expect: allow or expect: deny", findings)
        .and_then(|node| scalar::word(node, "expect", &EXPECT, findings));
    let rule = fields.find("rule");
    let rule = rule.and_then(|node| expected_rule(node, findings));
    let status = fields.find("status");
    let status =
        status.and_then(|node| scalar::whole(node, "status", Response::STATUS_RANGE, findings));
    let remaining = fields.find("remaining");
    let remaining =
        remaining.and_then(|node| scalar::whole(node, "remaining", 0..=u64::MAX, findings));
    let retry_after = retry_after(&fields, findings);
    if expect == Some(Expect::Allow) {
        refuse_denial(&fields, findings);
    }
    Some(Step {
        at: at?,
        request: request?,
        times: times?,
        expect: expect?,
        rule,
        remaining,
        retry_after,
        status,
        line: 0,
    })
}

fn moment(node: &Node<'_>, now: Micros, findings: &mut Findings) -> Option<Micros> {
    let at = scalar::length(node, "at", findings)?;
    if at < now {
        let message = format!("at goes back: the step before it is at {now}");
        let finding = Finding::error(node.span, message);
        findings
            .push(finding.help("at counts from the start of the test, not from the step before"));
        return None;
    }
    Some(at)
}

fn retry_after(fields: &Fields<'_, '_>, findings: &mut Findings) -> Option<Micros> {
    let node = fields.find("retry_after")?;
    match &node.value {
        Value::Text(text, _) if text == "never" => Some(Micros::MAX),
        _ => scalar::length(node, "retry_after", findings),
    }
}

/// What only a denial has.
fn refuse_denial(fields: &Fields<'_, '_>, findings: &mut Findings) {
    for name in ["retry_after", "status"] {
        if let Some(span) = fields.name_span(name) {
            let message = format!("{name} is said of a denial, but the step expects allow");
            findings.push(Finding::error(span, message).help("remove it, or write expect: deny"));
        }
    }
}

/// `login`, `tier:free`, or `none`.
fn expected_rule(node: &Node<'_>, findings: &mut Findings) -> Option<ExpectRule> {
    let given = scalar::text(node, "rule", findings)?;
    let read = match (given, given.strip_prefix("tier:")) {
        ("none", _) => return Some(ExpectRule::Nothing),
        (_, Some(tier)) => tier.parse().map(ExpectRule::Tier),
        (name, None) => name.parse().map(ExpectRule::Rule),
    };
    read.map_err(|error| findings.error(node.span, error.to_string())).ok()
}

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
        let name = rule::attribute_name(entry, findings);
        let value = scalar::identifier(&entry.value, "attribute", findings);
        Some((name?, value?))
    });
    Some(read.collect())
}

fn descriptor(node: &Node<'_>, findings: &mut Findings) -> Option<Vec<(Arc<str>, Arc<str>)>> {
    let entries = scalar::items(node, "descriptor", Query::ATTRIBUTES_MAX, findings)?;
    let read: Vec<Option<(Arc<str>, Arc<str>)>> =
        entries.iter().map(|entry| descriptor_entry(entry, findings)).collect();
    read.into_iter().collect()
}

fn descriptor_entry(node: &Rc<Node<'_>>, findings: &mut Findings) -> Option<(Arc<str>, Arc<str>)> {
    let Value::List(parts) = &node.value else {
        findings.error(node.head(), "an entry of a request's descriptor is [key, value]");
        return None;
    };
    let [key, value] = parts.as_slice() else {
        findings.error(node.head(), "an entry of a request's descriptor is [key, value]");
        return None;
    };
    let key = scalar::identifier(key, "the key of an entry", findings);
    let value = scalar::text(value, "the value of an entry", findings);
    Some((key?, value?.into()))
}
