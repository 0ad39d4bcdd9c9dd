//! Which requests a rule is about.

use super::{
    super::read::network_text,
    shape::{Fields, Shape, put},
};
use crate::{AttributeCondition, DescriptorEntry, Match};

/// The conditions that are given.
pub(super) fn match_fields(matches: &Match) -> Fields {
    let mut fields = Fields::new();
    let mut several = |name: &str, shape: Shape, len: usize| {
        if len > 0 {
            put(&mut fields, name, shape);
        }
    };
    several(
        "tier",
        Shape::one_or_many(&matches.tiers),
        matches.tiers.len(),
    );
    several(
        "user",
        Shape::one_or_many(&matches.users),
        matches.users.len(),
    );
    several("org", Shape::one_or_many(&matches.orgs), matches.orgs.len());
    several(
        "api_key",
        Shape::one_or_many(&matches.api_keys),
        matches.api_keys.len(),
    );
    several(
        "region",
        Shape::one_or_many(&matches.regions),
        matches.regions.len(),
    );
    let endpoint: Vec<&str> = matches
        .endpoint
        .iter()
        .map(|pattern| pattern.as_str())
        .collect();
    several("endpoint", Shape::one_or_many(&endpoint), endpoint.len());
    several(
        "method",
        Shape::one_or_many(&matches.methods),
        matches.methods.len(),
    );
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
