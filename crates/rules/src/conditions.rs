//! Whether the conditions of a rule hold for a request.

use std::{fmt, sync::Arc};

use crate::{Match, Query};

/// A request with the tier that counts for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts<'q, 'a> {
    pub(crate) query: &'q Query<'a>,
    pub(crate) tier: &'q str,
}

/// One kind of condition, cheapest to check first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Condition {
    /// On the tier.
    Tier,
    /// On the method.
    Method,
    /// On the user.
    User,
    /// On the organisation.
    Org,
    /// On the API key.
    ApiKey,
    /// On the region.
    Region,
    /// On the path.
    Endpoint,
    /// On the address.
    Ip,
    /// On the attributes.
    Attributes,
    /// On the Envoy descriptor.
    Descriptor,
}

impl Condition {
    const ALL: [Self; 10] = [
        Self::Tier,
        Self::Method,
        Self::User,
        Self::Org,
        Self::ApiKey,
        Self::Region,
        Self::Endpoint,
        Self::Ip,
        Self::Attributes,
        Self::Descriptor,
    ];

    /// As in a file.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Tier => "tier",
            Self::Method => "method",
            Self::User => "user",
            Self::Org => "org",
            Self::ApiKey => "api_key",
            Self::Region => "region",
            Self::Endpoint => "endpoint",
            Self::Ip => "ip",
            Self::Attributes => "attributes",
            Self::Descriptor => "descriptor",
        }
    }

    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The conditions that a rule has, so that the others need no look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Given(u16);

impl Given {
    pub(crate) fn of(matches: &Match) -> Self {
        let given = Condition::ALL.into_iter().filter(|kind| matches.has(*kind));
        Self(given.fold(0, |bits, kind| bits | kind.bit()))
    }

    #[inline]
    fn iter(self) -> impl Iterator<Item = Condition> {
        let is_given = move |kind: &Condition| self.0 & kind.bit() != 0;
        Condition::ALL.into_iter().filter(is_given)
    }
}

impl Match {
    /// Whether every condition holds.
    #[inline]
    pub(crate) fn holds(&self, given: Given, facts: &Facts<'_, '_>) -> bool {
        given.iter().all(|kind| self.holds_for(kind, facts))
    }

    /// The conditions that do not hold.
    pub(crate) fn failing(&self, facts: &Facts<'_, '_>) -> Vec<Condition> {
        let given = Given::of(self).iter();
        given.filter(|kind| !self.holds_for(*kind, facts)).collect()
    }

    fn has(&self, kind: Condition) -> bool {
        match kind {
            Condition::Tier => !self.tiers.is_empty(),
            Condition::Method => !self.methods.is_empty(),
            Condition::User => !self.users.is_empty(),
            Condition::Org => !self.orgs.is_empty(),
            Condition::ApiKey => !self.api_keys.is_empty(),
            Condition::Region => !self.regions.is_empty(),
            Condition::Endpoint => self.endpoint.is_some(),
            Condition::Ip => !self.networks.is_empty(),
            Condition::Attributes => !self.attributes.is_empty(),
            Condition::Descriptor => self.descriptor.is_some(),
        }
    }

    /// Whether a condition that the rule has holds.
    fn holds_for(&self, kind: Condition, facts: &Facts<'_, '_>) -> bool {
        let query = facts.query;
        match kind {
            Condition::Tier => self.tiers.iter().any(|tier| tier.as_str() == facts.tier),
            Condition::Method => {
                query.method_name().is_some_and(|method| self.methods.contains(&method))
            }
            Condition::User => one_of(&self.users, query.user_name()),
            Condition::Org => one_of(&self.orgs, query.org_name()),
            Condition::ApiKey => one_of(&self.api_keys, query.api_key_id()),
            Condition::Region => one_of(&self.regions, query.region_name()),
            Condition::Endpoint => match (&self.endpoint, query.path()) {
                (Some(pattern), Some(path)) => pattern.matches(path),
                _ => false,
            },
            Condition::Ip => query.ip_address().is_some_and(|address| {
                let mut networks = self.networks.iter();
                networks.any(|network| network.contains(&address))
            }),
            Condition::Attributes => self.attributes.iter().all(|(name, condition)| {
                let value = query.attribute_value(name);
                value.is_some_and(|value| condition.holds(value))
            }),
            Condition::Descriptor => self.is_descriptor(query.descriptor_entries()),
        }
    }

    fn is_descriptor(&self, entries: Option<&[(&str, &str)]>) -> bool {
        let (Some(wanted), Some(found)) = (&self.descriptor, entries) else {
            return false;
        };
        wanted.len() == found.len()
            && wanted.iter().zip(found).all(|(wanted, (key, value))| {
                *wanted.key == **key && wanted.value.as_ref().is_none_or(|text| **text == **value)
            })
    }
}

fn one_of(wanted: &[Arc<str>], found: Option<&str>) -> bool {
    found.is_some_and(|found| wanted.iter().any(|wanted| **wanted == *found))
}
