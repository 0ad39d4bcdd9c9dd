//! Whether every request that one rule matches is matched by another as well.
//!
//! Each condition is compared by itself. The answer yes is certain; the answer no may be wrong, for
//! instance where two conditions together say what a third says alone.

use ipnet::IpNet;

use crate::{AttributeCondition, EndpointPattern, Match, Segment};

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
