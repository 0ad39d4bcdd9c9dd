//! A rule.

use tollgate_core::RuleId;
use uuid::Uuid;

use super::{
    super::{
        findings::{Finding, Findings},
        tree::Node,
    },
    fields::{Fields, Shape},
    matches, response, scalar, throttle,
};
use crate::{Action, Match, Name, Rule};

const ELSEWHERE: &[(&str, &str)] = &[
    (
        "id",
        "ids are given by Tollgate; use renamed_from to keep counters",
    ),
    ("tier", "it belongs under match: match: { tier: ... }"),
    ("user", "it belongs under match: match: { user: ... }"),
    ("org", "it belongs under match: match: { org: ... }"),
    ("api_key", "it belongs under match: match: { api_key: ... }"),
    ("region", "it belongs under match: match: { region: ... }"),
    (
        "endpoint",
        "it belongs under match: match: { endpoint: ... }",
    ),
    ("path", "write match: { endpoint: ... }"),
    ("method", "it belongs under match: match: { method: ... }"),
    ("ip", "it belongs under match: match: { ip: ... }"),
    (
        "attributes",
        "it belongs under match: match: { attributes: ... }",
    ),
    (
        "descriptor",
        "it belongs under match: match: { descriptor: ... }",
    ),
    (
        "burst",
        "it belongs to the limit: limit: { per: 10/s, burst: 20 }",
    ),
    (
        "per",
        "it belongs to the limit: limit: { per: 10/s, burst: 20 }",
    ),
    (
        "status",
        "it belongs to the response: response: { status: 429 }",
    ),
    (
        "message",
        "it belongs to the response: response: { message: ... }",
    ),
    (
        "retry_after",
        "it belongs to the response: response: { retry_after: 30 }",
    ),
    (
        "tiers",
        "a rule is for one tier: match: { tier: free }, and another rule for the next tier",
    ),
    ("when", "did you mean \"match\"?"),
    ("rate", "did you mean \"limit\"?"),
    ("by", "did you mean \"key\"?"),
];

const LATER: &[&str] = &[
    "timezone",
    "anchor",
    "candidate",
    "shadow",
    "canary",
    "concurrency",
];

macro_rules! rule_fields {
    ($($more:literal),*) => {
        &[
            "name", "match", "key", "missing", "limit", "limits", "algorithm", "priority", "group",
            "cost", "action", "consistency", "on_failure", "response", "warn_at", "hard_at",
            "enabled", "owner", "reason", "renamed_from", $($more),*
        ]
    };
}

static IN_FILE: Shape = Shape {
    what: "a rule",
    fields: rule_fields!(),
    later: LATER,
    elsewhere: ELSEWHERE,
};

static STORED: Shape = Shape {
    what: "a rule",
    fields: rule_fields!("id"),
    later: LATER,
    elsewhere: ELSEWHERE,
};

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

const ACTIONS: [(&str, Verb); 3] = [
    ("throttle", Verb::Throttle),
    ("block", Verb::Block),
    ("allow", Verb::Allow),
];

/// Reads a rule.
pub(super) fn rule(node: &Node<'_>, origin: Origin, findings: &mut Findings) -> Attempt {
    let shape = match origin {
        Origin::File => &IN_FILE,
        Origin::Catalog => &STORED,
    };
    let Some(fields) = shape.open(node, findings) else {
        return Attempt {
            name: None,
            rule: None,
        };
    };
    let name: Option<Name> = fields
        .need("name", "name: login", findings)
        .and_then(|node| scalar::parsed(node, "name", findings));
    let matches = match fields.find("match") {
        Some(node) => matches::matches(node, findings),
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
        rule.response = response::response(node, findings).unwrap_or_default();
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
