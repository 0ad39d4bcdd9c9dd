//! A rule as a client reads it.

use std::sync::Arc;

use serde_json::{Value, json};
use tollgate_catalog::{Revision, RevisionNumber, Stamp};
use tollgate_rules::{Rule, RuleSet, document};

use super::super::{problem::Problem, when};

/// The members that we add to what was written. A client may send them back; they are not read.
pub(in super::super) const OURS: &[&str] = &[
    "version",
    "created_at",
    "created_by",
    "updated_at",
    "updated_by",
    "revision",
    "changed",
    "warnings",
    "nodes",
];

/// The rule, with its version and who wrote it.
pub(super) fn of(revision: &Revision, rule: &Rule) -> Value {
    let mut json = document::rule_json(rule);
    stamped(&mut json, revision.rule_stamp(&rule.name));
    json
}

/// Adds who wrote something, and when.
pub(in super::super) fn stamped(json: &mut Value, stamp: Option<&Stamp>) {
    let Value::Object(members) = json else {
        return;
    };
    let version = stamp.map_or(RevisionNumber::ZERO, |stamp| stamp.version);
    members.insert("version".to_owned(), json!(version.get()));
    if let Some(stamp) = stamp {
        for (name, mark) in [("created", &stamp.created), ("updated", &stamp.updated)] {
            members.insert(format!("{name}_at"), when::shown(mark.at).into());
            members.insert(format!("{name}_by"), (*mark.by).into());
        }
    }
}

/// The version of a rule.
pub(super) fn version(revision: &Revision, rule: &Rule) -> Option<RevisionNumber> {
    revision.rule_stamp(&rule.name).map(|stamp| stamp.version)
}

/// The rule of this id, or else of this name.
pub(super) fn found<'s>(set: &'s RuleSet, wanted: &str) -> Result<&'s Arc<Rule>, Problem> {
    let id = u128::from_str_radix(&wanted.replace('-', ""), 16);
    let by_id = id.ok().and_then(|id| {
        let mut rules = set.rules.values();
        rules.find(|rule| rule.id.get() == id)
    });
    let rule = by_id.or_else(|| set.rules.get(wanted));
    rule.ok_or_else(|| {
        let wanted: String = wanted.chars().take(128).collect();
        Problem::not_found(format!("there is no rule with the id or name {wanted:?}"))
    })
}
