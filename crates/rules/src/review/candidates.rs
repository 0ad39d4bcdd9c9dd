//! Which rules could cover another, found without comparing all with all.
//!
//! A rule is filed under one condition of its own; a rule that it covers must have a condition that
//! implies it. So it is enough to look under everything that a rule's conditions imply.

use std::collections::HashMap;

use ipnet::IpNet;

use crate::{AttributeCondition, EndpointPattern, Match, Rule, Segment, normalise::Method};

/// Rules by a condition that a covered rule must imply.
#[derive(Default)]
pub(super) struct Candidates<'s> {
    filed: HashMap<Label<'s>, Vec<&'s Rule>>,
}

/// What came of a search.
pub(super) enum Search<'s> {
    Found(&'s Rule),
    Nothing,
    /// There were too many to look at, so nothing is known.
    TooMany,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Label<'s> {
    Everything,
    Text(Fact, &'s str),
    /// The literal segments an endpoint begins with.
    Endpoint(Vec<&'s str>),
    Network(IpNet),
    Method(Method),
    Attribute(&'s str),
    AttributeValue(&'s str, &'s str),
    Descriptor,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Fact {
    User,
    ApiKey,
    Org,
    Region,
    Tier,
}

impl<'s> Candidates<'s> {
    /// The most rules that are looked at for one rule.
    const LOOKED_AT_MAX: usize = 2_000;

    pub(super) fn add(&mut self, rule: &'s Rule) {
        for label in labels(&rule.matches) {
            self.filed.entry(label).or_default().push(rule);
        }
    }

    /// A rule that covers `matches` and is `wanted`.
    pub(super) fn search(
        &self,
        matches: &'s Match,
        wanted: impl Fn(&'s Rule) -> bool,
    ) -> Search<'s> {
        let mut looked_at = 0;
        for label in implied(matches) {
            for rule in self.filed.get(&label).into_iter().flatten() {
                looked_at += 1;
                if looked_at > Self::LOOKED_AT_MAX {
                    return Search::TooMany;
                }
                if wanted(rule) && covers(&rule.matches, matches) {
                    return Search::Found(rule);
                }
            }
        }
        Search::Nothing
    }
}

/// Where a rule is filed: under each value of its narrowest condition.
fn labels(matches: &Match) -> Vec<Label<'_>> {
    for (fact, values) in [
        (Fact::User, &matches.users),
        (Fact::ApiKey, &matches.api_keys),
        (Fact::Org, &matches.orgs),
        (Fact::Region, &matches.regions),
    ] {
        if !values.is_empty() {
            return values.iter().map(|value| Label::Text(fact, value)).collect();
        }
    }
    if !matches.networks.is_empty() {
        return matches.networks.iter().copied().map(Label::Network).collect();
    }
    let prefix = prefix(matches);
    if !prefix.is_empty() {
        return vec![Label::Endpoint(prefix)];
    }
    if let Some((name, condition)) = matches.attributes.first_key_value() {
        return match condition {
            AttributeCondition::Exact(value) => vec![Label::AttributeValue(name, value)],
            _ => vec![Label::Attribute(name)],
        };
    }
    if matches.descriptor.is_some() {
        return vec![Label::Descriptor];
    }
    if !matches.methods.is_empty() {
        return matches.methods.iter().copied().map(Label::Method).collect();
    }
    let tiers = matches.tiers.iter().map(|tier| Label::Text(Fact::Tier, tier.as_str()));
    let mut tiers: Vec<Label<'_>> = tiers.collect();
    if tiers.is_empty() {
        tiers.push(Label::Everything);
    }
    tiers
}

/// Everything a rule that covers `matches` can be filed under.
fn implied(matches: &Match) -> Vec<Label<'_>> {
    let mut labels = vec![Label::Everything];
    // Of a list all values must be covered, so it is enough to look for the first.
    for (fact, values) in [
        (Fact::User, &matches.users),
        (Fact::ApiKey, &matches.api_keys),
        (Fact::Org, &matches.orgs),
        (Fact::Region, &matches.regions),
    ] {
        labels.extend(values.first().map(|value| Label::Text(fact, value)));
    }
    let tier = matches.tiers.first();
    labels.extend(tier.map(|tier| Label::Text(Fact::Tier, tier.as_str())));
    labels.extend(matches.methods.first().copied().map(Label::Method));
    if let Some(network) = matches.networks.first() {
        let wider = std::iter::successors(Some(*network), IpNet::supernet);
        labels.extend(wider.map(|network| Label::Network(network.trunc())));
    }
    let literals = prefix(matches);
    let lengths = 1..=literals.len();
    labels.extend(lengths.filter_map(|length| {
        let prefix = literals.get(..length)?;
        Some(Label::Endpoint(prefix.to_vec()))
    }));
    for (name, condition) in &matches.attributes {
        labels.push(Label::Attribute(name));
        let value = match condition {
            AttributeCondition::Exact(value) => Some(value),
            AttributeCondition::OneOf(values) => values.first(),
            _ => None,
        };
        labels.extend(value.map(|value| Label::AttributeValue(name, value)));
    }
    labels.extend(matches.descriptor.as_ref().map(|_| Label::Descriptor));
    labels
}

/// The literal segments before the first that is not.
fn prefix(matches: &Match) -> Vec<&str> {
    let segments = matches.endpoint.as_ref().map_or(&[][..], |pattern| pattern.segments());
    let literals = segments.iter().map_while(|segment| match segment {
        Segment::Literal(text) => Some(&**text),
        _ => None,
    });
    literals.collect()
}

/// Whether `wide` matches all that `narrow` matches.
pub(super) fn covers(wide: &Match, narrow: &Match) -> bool {
    contains(&wide.tiers, &narrow.tiers)
        && contains(&wide.users, &narrow.users)
        && contains(&wide.orgs, &narrow.orgs)
        && contains(&wide.api_keys, &narrow.api_keys)
        && contains(&wide.regions, &narrow.regions)
        && contains(&wide.methods, &narrow.methods)
        && endpoint(wide.endpoint.as_ref(), narrow.endpoint.as_ref())
        && networks(&wide.networks, &narrow.networks)
        && attributes(wide, narrow)
        && descriptor(wide, narrow)
}

/// An empty list is any value.
fn contains<T: PartialEq>(wide: &[T], narrow: &[T]) -> bool {
    wide.is_empty() || (!narrow.is_empty() && narrow.iter().all(|value| wide.contains(value)))
}

fn networks(wide: &[IpNet], narrow: &[IpNet]) -> bool {
    let is_within = |network: &IpNet| wide.iter().any(|wide| wide.contains(network));
    wide.is_empty() || (!narrow.is_empty() && narrow.iter().all(is_within))
}

fn endpoint(wide: Option<&EndpointPattern>, narrow: Option<&EndpointPattern>) -> bool {
    match (wide, narrow) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(wide), Some(narrow)) => pattern(wide.segments(), narrow.segments()),
    }
}

fn pattern(wide: &[Segment], narrow: &[Segment]) -> bool {
    let mut narrow = narrow.iter();
    for segment in wide {
        let is_covered = match (segment, narrow.next()) {
            (Segment::Rest, _) => return true,
            (_, None | Some(Segment::Rest)) => false,
            (Segment::Literal(wanted), Some(Segment::Literal(given))) => wanted == given,
            (Segment::Literal(_), Some(_)) => false,
            (Segment::Parameter(_) | Segment::One, Some(_)) => true,
        };
        if !is_covered {
            return false;
        }
    }
    narrow.next().is_none()
}

fn attributes(wide: &Match, narrow: &Match) -> bool {
    wide.attributes.iter().all(|(name, wide)| {
        let narrow = narrow.attributes.get(name);
        narrow.is_some_and(|narrow| condition(wide, narrow))
    })
}

fn condition(wide: &AttributeCondition, narrow: &AttributeCondition) -> bool {
    match (wide, narrow) {
        (_, AttributeCondition::Exact(value)) => wide.holds(value),
        (_, AttributeCondition::OneOf(values)) => values.iter().all(|value| wide.holds(value)),
        (AttributeCondition::Prefix(wide), AttributeCondition::Prefix(narrow)) => {
            narrow.starts_with(&**wide)
        }
        (AttributeCondition::Suffix(wide), AttributeCondition::Suffix(narrow)) => {
            narrow.ends_with(&**wide)
        }
        _ => false,
    }
}

fn descriptor(wide: &Match, narrow: &Match) -> bool {
    let (wide, narrow) = match (&wide.descriptor, &narrow.descriptor) {
        (None, _) => return true,
        (Some(_), None) => return false,
        (Some(wide), Some(narrow)) => (wide, narrow),
    };
    let is_covered = |(wide, narrow): (&crate::DescriptorEntry, &crate::DescriptorEntry)| {
        wide.key == narrow.key && (wide.value.is_none() || wide.value == narrow.value)
    };
    wide.len() == narrow.len() && wide.iter().zip(narrow).all(is_covered)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_covered(wide: &str, narrow: &str) -> bool {
        let parse = |text: &str| -> EndpointPattern { text.parse().unwrap() };
        pattern(parse(wide).segments(), parse(narrow).segments())
    }

    #[test]
    fn patterns_cover_what_they_match() {
        for (wide, narrow) in [
            ("/**", "/"),
            ("/**", "/a/*/b/**"),
            ("/a/**", "/a"),
            ("/a/**", "/a/**"),
            ("/a/*", "/a/{id}"),
            ("/a/{id}", "/a/*"),
            ("/a/*/c", "/a/b/c"),
        ] {
            assert!(is_covered(wide, narrow), "{wide} covers {narrow}");
        }
        for (wide, narrow) in [
            ("/", "/**"),
            ("/a", "/a/**"),
            ("/a/*", "/a/**"),
            ("/a/*", "/a"),
            ("/a/b", "/a/*"),
            ("/a/**", "/b/c"),
            ("/a/*/c", "/a/b"),
            ("/a", "/a/b"),
        ] {
            assert!(!is_covered(wide, narrow), "{wide} does not cover {narrow}");
        }
    }
}
