//! The facts of one request.

use std::{net::IpAddr, sync::Arc};

use smallvec::SmallVec;
use tollgate_core::Cost;

use super::{OwnLimit, Scope};
use crate::{
    KeyCard,
    normalise::{Method, Path},
};

/// What is known of one request. Every fact is optional; an empty text is a missing fact.
///
/// ```
/// use tollgate_rules::Query;
///
/// let query = Query::new()
///     .user("alice")?
///     .ip("::ffff:192.0.2.1")?
///     .method("post")?
///     .endpoint("/api//login?next=%2F")?
///     .attribute("plan", "trial")?;
/// assert_eq!(query.path(), Some("/api/login"));
/// assert_eq!(query.ip_address(), Some("192.0.2.1".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Query<'a> {
    pub(super) user: Option<&'a str>,
    pub(super) org: Option<&'a str>,
    pub(super) api_key: Option<&'a str>,
    pub(super) key_card: Option<&'a Arc<KeyCard>>,
    pub(super) tier: Option<&'a str>,
    pub(super) region: Option<&'a str>,
    pub(super) ip: Option<IpAddr>,
    pub(super) path: Option<Path<'a>>,
    pub(super) method: Option<Method>,
    pub(super) attributes: Pairs<'a>,
    pub(super) descriptor: Option<Box<[(&'a str, &'a str)]>>,
    pub(super) cost: Option<Cost>,
    pub(super) scope: Option<Scope>,
    pub(super) own_limit: Option<Box<OwnLimit>>,
    pub(super) is_told_in_full: bool,
}

pub(super) type Pairs<'a> = SmallVec<[(&'a str, &'a str); 2]>;

impl<'a> Query<'a> {
    /// The most attributes, and the most entries of a descriptor.
    pub const ATTRIBUTES_MAX: usize = 64;

    /// The user.
    pub const fn user_name(&self) -> Option<&'a str> {
        self.user
    }

    /// The organisation.
    pub const fn org_name(&self) -> Option<&'a str> {
        self.org
    }

    /// The id of the API key.
    pub const fn api_key_id(&self) -> Option<&'a str> {
        self.api_key
    }

    /// The API key, if it is one that was issued here.
    pub const fn key_card(&self) -> Option<&'a Arc<KeyCard>> {
        self.key_card
    }

    /// The tier, if one was stated.
    pub const fn tier_name(&self) -> Option<&'a str> {
        self.tier
    }

    /// The region.
    pub const fn region_name(&self) -> Option<&'a str> {
        self.region
    }

    /// The client's address.
    pub const fn ip_address(&self) -> Option<IpAddr> {
        self.ip
    }

    /// The path, in normal form.
    pub fn path(&self) -> Option<&str> {
        self.path.as_ref().map(Path::as_str)
    }

    /// The method.
    pub const fn method_name(&self) -> Option<Method> {
        self.method
    }

    /// The method, as text.
    pub fn method_text(&self) -> Option<&str> {
        self.method.as_ref().map(Method::as_str)
    }

    /// The value of an attribute.
    pub fn attribute_value(&self, name: &str) -> Option<&'a str> {
        let mut pairs = self.attributes.iter();
        pairs.find_map(|(known, value)| (*known == name).then_some(*value))
    }

    /// Every attribute, in the order given.
    pub fn attributes(&self) -> &[(&'a str, &'a str)] {
        &self.attributes
    }

    /// The Envoy descriptor this request came as.
    pub fn descriptor_entries(&self) -> Option<&[(&'a str, &'a str)]> {
        self.descriptor.as_deref()
    }

    /// The cost the caller states; one by default.
    pub fn cost_asked(&self) -> Cost {
        self.cost.unwrap_or(Cost::ONE)
    }

    /// The scope, if only some throttles are asked for.
    pub const fn scope_asked(&self) -> Option<Scope> {
        self.scope
    }

    /// The limit that the request brings along.
    pub fn own_limit(&self) -> Option<&OwnLimit> {
        self.own_limit.as_deref()
    }

    /// Whether anything at all is known of the request.
    pub fn has_facts(&self) -> bool {
        let texts = [self.user, self.org, self.api_key, self.tier, self.region];
        texts.iter().any(Option::is_some)
            || self.ip.is_some()
            || self.path.is_some()
            || self.method.is_some()
            || !self.attributes.is_empty()
    }
}
