//! Rules, tiers and overrides, without what is so by default.

use serde_json::{Map, Number, Value};
use tollgate_core::{AlgorithmName, Bands, Consistency, Limit, LimitSet, OnFailure};
use uuid::Uuid;

use super::super::read::{missing_word, moment_text, network_text};
use crate::{
    Action, AttributeCondition, Change, CostRule, DescriptorEntry, Match, Missing, Override,
    Response, Rule, Throttle, Tier,
};

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
        put(fields, "missing", Shape::text(missing_word(throttle.missing)));
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
        put(fields, "consistency", Shape::text(throttle.consistency.word()));
    }
    if throttle.on_failure != OnFailure::default() {
        put(fields, "on_failure", Shape::text(throttle.on_failure.word()));
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

/// What all limits share is said once, beside them.
pub(super) fn put_limits(fields: &mut Fields, limits: &[Limit]) {
    let Some(first) = limits.first() else { return };
    let algorithm = first.algorithm();
    let is_shared = limits.iter().all(|limit| limit.algorithm() == algorithm);
    let is_usual = limits.iter().all(|limit| limit.algorithm() == usual(limit));
    let bands = first.bands();
    let same_bands = limits.iter().all(|limit| limit.bands() == bands);
    let says_algorithm = is_shared && !is_usual;
    let shape = |limit: &Limit| {
        let own = !says_algorithm && limit.algorithm() != usual(limit);
        let own = own.then(|| limit.algorithm());
        limit_shape(limit, own, if same_bands { None } else { Some(limit.bands()) })
    };
    match limits {
        [one] => put(fields, "limit", shape(one)),
        many => put(fields, "limits", Shape::List(many.iter().map(shape).collect())),
    }
    if says_algorithm {
        put(fields, "algorithm", Shape::text(&algorithm));
    }
    if same_bands {
        put_bands(fields, bands, Bands::default());
    }
}

fn put_bands(fields: &mut Fields, bands: Bands, usual: Bands) {
    if bands.warn_at() != usual.warn_at() {
        put(fields, "warn_at", Shape::Text(format!("{}%", bands.warn_at())));
    }
    if bands.hard_at() != usual.hard_at() {
        put(fields, "hard_at", Shape::Text(format!("{}%", bands.hard_at())));
    }
}

/// The algorithm a limit has if none is named.
fn usual(limit: &Limit) -> AlgorithmName {
    match limit.burst() {
        Some(_) => AlgorithmName::TokenBucket,
        None => AlgorithmName::SlidingWindow,
    }
}

fn limit_shape(limit: &Limit, algorithm: Option<AlgorithmName>, bands: Option<Bands>) -> Shape {
    let mut fields = Fields::new();
    put(&mut fields, "per", Shape::text(limit));
    if let Some(burst) = limit.burst() {
        put(&mut fields, "burst", Shape::number(burst));
    }
    if let Some(algorithm) = algorithm.filter(|name| *name != AlgorithmName::Custom) {
        put(&mut fields, "algorithm", Shape::text(&algorithm));
    }
    if let Some(bands) = bands {
        put_bands(&mut fields, bands, Bands::default());
    }
    match fields.len() {
        1 => Shape::text(limit),
        _ => Shape::Map(fields),
    }
}

/// A limit that stands by itself.
pub(super) fn whole_limit(limit: &Limit) -> Shape {
    let own = (limit.algorithm() != usual(limit)).then(|| limit.algorithm());
    limit_shape(limit, own, Some(limit.bands()))
}

/// The limit of an override. What it does not say it has from the rule, so what it says is written even
/// where it is usual.
pub(super) fn override_limit(limit: &Limit) -> Shape {
    limit_shape(limit, limit.chosen_algorithm(), None)
}

/// The conditions that are given.
pub(super) fn match_fields(matches: &Match) -> Fields {
    let mut fields = Fields::new();
    let mut several = |name: &str, shape: Shape, len: usize| {
        if len > 0 {
            put(&mut fields, name, shape);
        }
    };
    several("tier", Shape::one_or_many(&matches.tiers), matches.tiers.len());
    several("user", Shape::one_or_many(&matches.users), matches.users.len());
    several("org", Shape::one_or_many(&matches.orgs), matches.orgs.len());
    several("api_key", Shape::one_or_many(&matches.api_keys), matches.api_keys.len());
    several("region", Shape::one_or_many(&matches.regions), matches.regions.len());
    let endpoint: Vec<&str> = matches.endpoint.iter().map(|pattern| pattern.as_str()).collect();
    several("endpoint", Shape::one_or_many(&endpoint), endpoint.len());
    several("method", Shape::one_or_many(&matches.methods), matches.methods.len());
    let networks: Vec<String> = matches.networks.iter().map(network_text).collect();
    several("ip", Shape::one_or_many(&networks), networks.len());
    let attributes = matches.attributes.iter();
    let attributes: Fields = attributes
        .map(|(name, condition)| (name.to_string(), condition_shape(condition)))
        .collect();
    let count = attributes.len();
    several("attributes", Shape::Map(attributes), count);
    if let Some(entries) = &matches.descriptor {
        let entries = entries.iter().map(entry_shape).collect();
        put(&mut fields, "descriptor", Shape::List(entries));
    }
    fields
}

fn condition_shape(condition: &AttributeCondition) -> Shape {
    match condition {
        AttributeCondition::Exact(value) => Shape::text(value),
        AttributeCondition::OneOf(values) => Shape::texts(values),
        AttributeCondition::Prefix(part) => {
            Shape::Map(vec![("prefix".to_owned(), Shape::text(part))])
        }
        AttributeCondition::Suffix(part) => {
            Shape::Map(vec![("suffix".to_owned(), Shape::text(part))])
        }
    }
}

fn entry_shape(entry: &DescriptorEntry) -> Shape {
    let parts = [Some(&entry.key), entry.value.as_ref()];
    Shape::List(parts.into_iter().flatten().map(Shape::text).collect())
}

/// A value with its fields in order.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Text(String),
    Number(Number),
    Truth(bool),
    List(Vec<Self>),
    Map(Fields),
}

pub(super) type Fields = Vec<(String, Shape)>;

impl Shape {
    pub(super) fn text(text: &(impl ToString + ?Sized)) -> Self {
        Self::Text(text.to_string())
    }

    pub(super) fn number(number: impl Into<Number>) -> Self {
        Self::Number(number.into())
    }

    /// One text by itself, several in a list.
    pub(super) fn one_or_many<T: ToString>(values: &[T]) -> Self {
        match values {
            [one] => Self::text(one),
            many => Self::texts(many),
        }
    }

    pub(super) fn texts<T: ToString>(values: &[T]) -> Self {
        Self::List(values.iter().map(Self::text).collect())
    }

    pub(super) fn json(self) -> Value {
        match self {
            Self::Text(text) => Value::String(text),
            Self::Number(number) => Value::Number(number),
            Self::Truth(truth) => Value::Bool(truth),
            Self::List(items) => Value::Array(items.into_iter().map(Self::json).collect()),
            Self::Map(fields) => {
                let fields = fields.into_iter().map(|(name, value)| (name, value.json()));
                Value::Object(fields.collect::<Map<String, Value>>())
            }
        }
    }
}

/// Adds a field.
pub(super) fn put(fields: &mut Fields, name: &str, value: Shape) {
    fields.push((name.to_owned(), value));
}
