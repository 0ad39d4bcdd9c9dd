//! What a throttle counts, and how much of it may pass.

use super::{
    super::{
        findings::{Finding, Findings},
        tree::Node,
    },
    fields::Fields,
    key,
    limit::{Defaults, limit_or_limits},
    scalar,
};
use crate::{CostRule, Missing, Throttle};
use tollgate_core::{Consistency, Limit, OnFailure};

/// The fields that only a throttle has.
const OWN: [&str; 11] = [
    "key",
    "missing",
    "limit",
    "limits",
    "algorithm",
    "group",
    "cost",
    "consistency",
    "on_failure",
    "warn_at",
    "hard_at",
];

const MISSING: [(&str, Missing); 3] = [
    ("skip", Missing::Skip),
    ("shared", Missing::Shared),
    ("deny", Missing::Deny),
];
const CONSISTENCY: [(&str, Consistency); 3] = [
    ("exact", Consistency::Exact),
    ("leased", Consistency::Leased),
    ("local", Consistency::Local),
];
const ON_FAILURE: [(&str, OnFailure); 3] = [
    ("open", OnFailure::Open),
    ("closed", OnFailure::Closed),
    ("local", OnFailure::Local),
];

/// How `missing` is written.
pub(in crate::document) fn missing_word(missing: Missing) -> &'static str {
    let mut words = MISSING.iter();
    words
        .find(|(_, value)| *value == missing)
        .map_or("skip", |(word, _)| word)
}

/// The throttle that the fields of a rule describe.
pub(super) fn throttle(fields: &Fields<'_, '_>, findings: &mut Findings) -> Option<Throttle> {
    let defaults = Defaults::read(fields, findings);
    let limits = limit_or_limits(fields, defaults, findings);
    let example = "key: [user], or key: [] for one counter for everyone";
    let key = fields
        .need("key", example, findings)
        .and_then(|node| key::key(node, findings));
    let missing = fields.find("missing");
    let missing = missing.and_then(|node| scalar::word(node, "missing", &MISSING, findings));
    let group = fields.find("group");
    let group = group.and_then(|node| scalar::parsed(node, "group", findings));
    let cost = fields.find("cost");
    let cost = cost.and_then(|node| scalar::parsed::<CostRule>(node, "cost", findings));
    let said = fields.find("consistency");
    let consistency =
        said.and_then(|node| scalar::word(node, "consistency", &CONSISTENCY, findings));
    let on_failure = fields
        .find("on_failure")
        .and_then(|node| scalar::word(node, "on_failure", &ON_FAILURE, findings));
    let mut throttle = Throttle::new(key?, limits?);
    if let (Some(node), Some(Consistency::Leased)) = (said, consistency) {
        for limit in throttle.limits.iter() {
            remark_unleased(node, limit, findings);
        }
    }
    throttle.missing = missing.unwrap_or_default();
    throttle.group = group;
    throttle.cost = cost.unwrap_or_default();
    throttle.consistency = consistency.unwrap_or_default();
    throttle.on_failure = on_failure.unwrap_or_default();
    Some(throttle)
}

/// Remarks upon a limit that is not leased although somebody wrote that it should be. Where it is only the
/// default, nobody expects it: `tollgate explain` tells.
fn remark_unleased(node: &Node<'_>, limit: &Limit, findings: &mut Findings) {
    if let Err(why) = limit.refresh() {
        let message = format!("{limit} is counted exactly, not leased: {why}");
        let help = "write exact, or leave it out: each limit is leased that can be";
        findings.push(Finding::warning(node.span, message).help(help));
    }
}

/// Reports what a block or an allow may not have.
pub(super) fn refuse(fields: &Fields<'_, '_>, action: &str, findings: &mut Findings) {
    for name in OWN {
        if let Some(span) = fields.name_span(name) {
            let message = format!("a rule with action: {action} has no {name}");
            let help = "only a throttle counts: remove it, or write action: throttle";
            findings.push(Finding::error(span, message).help(help));
        }
    }
}
