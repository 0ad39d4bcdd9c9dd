//! Rules, tiers and overrides, without what is so by default.

use serde_json::Value;
use uuid::Uuid;

use super::{
    super::read::{missing_word, moment_text},
    limits::{override_limit, put_limits, whole_limit},
    matches::match_fields,
    shape::{Fields, Shape, put},
};
use tollgate_core::{Consistency, LimitSet, OnFailure};

use crate::{Action, Change, CostRule, Missing, Override, Response, Rule, Throttle, Tier};

/// The rule as [`super::super::read_rule`] reads it, its id included.
///
/// An algorithm of one's own has no name, and is left out.
pub fn rule_json(rule: &Rule) -> Value {
    let mut fields = rule_fields(rule);
    let id = Uuid::from_u128(rule.id.get()).hyphenated();
    put(&mut fields, "id", Shape::text(&id));
    Shape::Map(fields).json()
}

/// The tier as [`super::super::read_tier`] reads it.
pub fn tier_json(tier: &Tier) -> Value {
    let mut fields = tier_fields(tier);
    put(&mut fields, "name", Shape::text(&tier.name));
    Shape::Map(fields).json()
}

/// Limits as [`super::super::read_limits`] reads them.
pub fn limits_json(limits: &LimitSet) -> Value {
    Shape::List(limits.iter().map(whole_limit).collect()).json()
}

/// The override as [`super::super::read_override`] reads it.
pub fn override_json(exception: &Override) -> Value {
    Shape::Map(override_fields(exception)).json()
}

pub(super) fn rule_fields(rule: &Rule) -> Fields {
    let mut fields = Fields::new();
    put(&mut fields, "name", Shape::text(&rule.name));
    if let Some(old) = &rule.renamed_from {
        put(&mut fields, "renamed_from", Shape::text(old));
    }
    let matches = match_fields(&rule.matches);
    if !matches.is_empty() {
        put(&mut fields, "match", Shape::Map(matches));
    }
    match &rule.action {
        Action::Throttle(throttle) => put_throttle(&mut fields, throttle),
        other => put(&mut fields, "action", Shape::text(other.word())),
    }
    if rule.priority != 0 {
        put(&mut fields, "priority", Shape::number(rule.priority));
    }
    let response = response_fields(&rule.response);
    if !response.is_empty() {
        put(&mut fields, "response", Shape::Map(response));
    }
    if !rule.enabled {
        put(&mut fields, "enabled", Shape::Truth(false));
    }
    if let Some(owner) = &rule.owner {
        put(&mut fields, "owner", Shape::text(owner));
    }
    if let Some(reason) = &rule.reason {
        put(&mut fields, "reason", Shape::text(reason));
    }
    fields
}

fn put_throttle(fields: &mut Fields, throttle: &Throttle) {
    put(fields, "key", Shape::texts(throttle.key.fields()));
    if throttle.missing != Missing::default() {
        put(
            fields,
            "missing",
            Shape::text(missing_word(throttle.missing)),
        );
    }
    put_limits(fields, throttle.limits.as_slice());
    if let Some(group) = &throttle.group {
        put(fields, "group", Shape::text(group));
    }
    match &throttle.cost {
        CostRule::Fixed(cost) if cost.get() == 1 => {}
        CostRule::Fixed(cost) => put(fields, "cost", Shape::number(cost.get())),
        by_attribute => put(fields, "cost", Shape::text(by_attribute)),
    }
    if throttle.consistency != Consistency::default() {
        put(
            fields,
            "consistency",
            Shape::text(throttle.consistency.word()),
        );
    }
    if throttle.on_failure != OnFailure::default() {
        put(
            fields,
            "on_failure",
            Shape::text(throttle.on_failure.word()),
        );
    }
}

fn response_fields(response: &Response) -> Fields {
    let mut fields = Fields::new();
    if let Some(status) = response.status {
        put(&mut fields, "status", Shape::number(status));
    }
    if let Some(message) = &response.message {
        put(&mut fields, "message", Shape::text(message));
    }
    if let Some(seconds) = response.retry_after_s {
        put(&mut fields, "retry_after", Shape::number(seconds));
    }
    fields
}

pub(super) fn tier_fields(tier: &Tier) -> Fields {
    let mut fields = Fields::new();
    put(&mut fields, "rank", Shape::number(tier.rank));
    let limits: Vec<Shape> = tier.default.iter().flatten().map(whole_limit).collect();
    match <[Shape; 1]>::try_from(limits) {
        Ok([one]) => put(&mut fields, "default", one),
        Err(none) if none.is_empty() => {}
        Err(many) => put(&mut fields, "default", Shape::List(many)),
    }
    fields
}

pub(super) fn override_fields(exception: &Override) -> Fields {
    let mut fields = Fields::new();
    if let Some(rule) = &exception.rule {
        put(&mut fields, "rule", Shape::text(rule));
    }
    let key = exception.key.iter();
    let key = key.map(|(field, value)| (field.to_string(), Shape::text(value)));
    put(&mut fields, "key", Shape::Map(key.collect()));
    match &exception.change {
        Change::Limit(limit) => put(&mut fields, "limit", override_limit(limit)),
        Change::Limits(limits) => {
            let limits = limits.iter().map(override_limit).collect();
            put(&mut fields, "limits", Shape::List(limits));
        }
        Change::Factor(factor) => put(&mut fields, "factor", Shape::text(factor)),
        Change::Unlimited => put(&mut fields, "unlimited", Shape::Truth(true)),
    }
    if let Some(until) = exception.until {
        put(&mut fields, "until", Shape::Text(moment_text(until)));
    }
    if let Some(reason) = &exception.reason {
        put(&mut fields, "reason", Shape::text(reason));
    }
    fields
}
