//! Which requests a rule is about.

use std::{collections::BTreeMap, sync::Arc};

use ipnet::IpNet;

use super::{EndpointPattern, Name};
use crate::normalise::Method;

/// The conditions of a rule. All that are given must hold; a list holds if one of its values does. No
/// condition at all is every request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Match {
    /// The tier is one of these; empty is any.
    pub tiers: Vec<Name>,
    /// The user is one of these; empty is any.
    pub users: Vec<Arc<str>>,
    /// The organisation is one of these; empty is any.
    pub orgs: Vec<Arc<str>>,
    /// The id of the API key is one of these; empty is any.
    pub api_keys: Vec<Arc<str>>,
    /// The region is one of these; empty is any.
    pub regions: Vec<Arc<str>>,
    /// The path matches.
    pub endpoint: Option<EndpointPattern>,
    /// The method is one of these; empty is any.
    pub methods: Vec<Method>,
    /// The address is in one of these networks; empty is any.
    pub networks: Vec<IpNet>,
    /// Each of these attributes is as said.
    pub attributes: BTreeMap<Arc<str>, AttributeCondition>,
    /// The Envoy descriptor has exactly these entries, in order.
    pub descriptor: Option<Vec<DescriptorEntry>>,
}

impl Match {
    /// The most values one condition may list.
    pub const VALUES_MAX: usize = 1_000;
    /// The most attribute conditions, and the most entries of a descriptor.
    pub const ATTRIBUTES_MAX: usize = 32;

    /// Every request.
    pub fn everything() -> Self {
        Self::default()
    }
}

/// What an attribute must be.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AttributeCondition {
    /// This text.
    Exact(Arc<str>),
    /// One of these texts.
    OneOf(Vec<Arc<str>>),
    /// A text that begins so.
    Prefix(Arc<str>),
    /// A text that ends so.
    Suffix(Arc<str>),
}

impl AttributeCondition {
    /// Whether the value is as said.
    pub fn holds(&self, value: &str) -> bool {
        match self {
            Self::Exact(wanted) => **wanted == *value,
            Self::OneOf(wanted) => wanted.iter().any(|wanted| **wanted == *value),
            Self::Prefix(prefix) => value.starts_with(&**prefix),
            Self::Suffix(suffix) => value.ends_with(&**suffix),
        }
    }
}

/// One entry of an Envoy descriptor: a key, with the value it must have if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescriptorEntry {
    /// The entry's key.
    pub key: Arc<str>,
    /// The entry's value; any, if none is given.
    pub value: Option<Arc<str>>,
}
