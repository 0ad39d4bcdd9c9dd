//! The facts of one request.

use std::{net::IpAddr, sync::Arc};

use smallvec::SmallVec;
use tollgate_core::{Cost, Limit};

use super::{QueryError, Scope};
use crate::{
    KeyCard, normalise,
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

impl<'a> Query<'a> {
    /// A request of which nothing is known.
    pub fn new() -> Self {
        Self::default()
    }

    /// With a user.
    ///
    /// # Errors
    ///
    /// [`QueryError::Identifier`].
    pub fn user(mut self, user: &'a str) -> Result<Self, QueryError> {
        self.set_user(user)?;
        Ok(self)
    }

    /// Puts a user in the place of the one there was.
    ///
    /// # Errors
    ///
    /// [`QueryError::Identifier`].
    #[inline]
    pub fn set_user(&mut self, user: &'a str) -> Result<(), QueryError> {
        self.user = identifier("user", user)?;
        Ok(())
    }

    /// With an organisation.
    ///
    /// # Errors
    ///
    /// [`QueryError::Identifier`].
    pub fn org(mut self, org: &'a str) -> Result<Self, QueryError> {
        self.set_org(org)?;
        Ok(self)
    }

    /// Puts an organisation in the place of the one there was.
    ///
    /// # Errors
    ///
    /// [`QueryError::Identifier`].
    #[inline]
    pub fn set_org(&mut self, org: &'a str) -> Result<(), QueryError> {
        self.org = identifier("org", org)?;
        Ok(())
    }

    /// With an API key, by its id.
    ///
    /// # Errors
    ///
    /// [`QueryError::Identifier`].
    pub fn api_key(mut self, id: &'a str) -> Result<Self, QueryError> {
        self.set_api_key(id)?;
        Ok(self)
    }

    /// Puts an API key, by its id in the place of the one there was.
    ///
    /// # Errors
    ///
    /// [`QueryError::Identifier`].
    #[inline]
    pub fn set_api_key(&mut self, id: &'a str) -> Result<(), QueryError> {
        self.api_key = identifier("api_key", id)?;
        Ok(())
    }

    /// With a tier.
    ///
    /// # Errors
    ///
    /// [`QueryError::Identifier`].
    pub fn tier(mut self, tier: &'a str) -> Result<Self, QueryError> {
        self.set_tier(tier)?;
        Ok(self)
    }

    /// Puts a tier in the place of the one there was.
    ///
    /// # Errors
    ///
    /// [`QueryError::Identifier`].
    #[inline]
    pub fn set_tier(&mut self, tier: &'a str) -> Result<(), QueryError> {
        self.tier = identifier("tier", tier)?;
        Ok(())
    }

    /// With a region.
    ///
    /// # Errors
    ///
    /// [`QueryError::Identifier`].
    pub fn region(mut self, region: &'a str) -> Result<Self, QueryError> {
        self.set_region(region)?;
        Ok(self)
    }

    /// Puts a region in the place of the one there was.
    ///
    /// # Errors
    ///
    /// [`QueryError::Identifier`].
    #[inline]
    pub fn set_region(&mut self, region: &'a str) -> Result<(), QueryError> {
        self.region = identifier("region", region)?;
        Ok(())
    }

    /// With an API key that was issued here, by its id: its own limits count, and its use is.
    pub fn set_key(&mut self, card: &'a Arc<KeyCard>) {
        self.api_key = Some(&card.key().id);
        self.key_card = Some(card);
    }

    /// With the client's address.
    ///
    /// # Errors
    ///
    /// [`QueryError::Ip`].
    pub fn ip(mut self, address: &'a str) -> Result<Self, QueryError> {
        self.set_ip(address)?;
        Ok(self)
    }

    /// Puts an address in the place of the one there was.
    ///
    /// # Errors
    ///
    /// [`QueryError::Ip`].
    #[inline]
    pub fn set_ip(&mut self, address: &'a str) -> Result<(), QueryError> {
        self.ip = match identifier("ip", address)? {
            None => None,
            Some(text) => Some(normalise::address(text).map_err(QueryError::Ip)?),
        };
        Ok(())
    }

    /// Puts an address that was read before in the place of the one there was.
    #[inline]
    pub const fn set_ip_address(&mut self, address: IpAddr) {
        self.ip = Some(address.to_canonical());
    }

    /// Forgets the id of an API key.
    #[inline]
    pub const fn clear_api_key(&mut self) {
        self.api_key = None;
        self.key_card = None;
    }

    /// With the path that is asked for.
    ///
    /// # Errors
    ///
    /// [`QueryError::Endpoint`].
    pub fn endpoint(mut self, path: &'a str) -> Result<Self, QueryError> {
        self.set_endpoint(path)?;
        Ok(self)
    }

    /// Puts a path in the place of the one there was.
    ///
    /// # Errors
    ///
    /// [`QueryError::Endpoint`].
    #[inline]
    pub fn set_endpoint(&mut self, path: &'a str) -> Result<(), QueryError> {
        self.path = match path {
            "" => None,
            path => Some(Path::new(path).map_err(QueryError::Endpoint)?),
        };
        Ok(())
    }

    /// With a method.
    ///
    /// # Errors
    ///
    /// [`QueryError::Method`].
    pub fn method(mut self, method: &'a str) -> Result<Self, QueryError> {
        self.set_method(method)?;
        Ok(self)
    }

    /// Puts a method in the place of the one there was.
    ///
    /// # Errors
    ///
    /// [`QueryError::Method`].
    #[inline]
    pub fn set_method(&mut self, method: &'a str) -> Result<(), QueryError> {
        self.method = match method.trim_ascii() {
            "" => None,
            method => Some(method.parse().map_err(QueryError::Method)?),
        };
        Ok(())
    }

    /// With one more attribute; an empty value is a missing attribute.
    ///
    /// # Errors
    ///
    /// [`QueryError::Identifier`], [`QueryError::TooManyAttributes`], [`QueryError::AttributeTwice`].
    pub fn attribute(mut self, name: &'a str, value: &'a str) -> Result<Self, QueryError> {
        self.add_attribute(name, value)?;
        Ok(self)
    }

    /// Adds an attribute; an empty value is a missing attribute.
    ///
    /// # Errors
    ///
    /// [`QueryError::Identifier`], [`QueryError::TooManyAttributes`], [`QueryError::AttributeTwice`].
    pub fn add_attribute(&mut self, name: &'a str, value: &'a str) -> Result<(), QueryError> {
        let (Some(name), Some(value)) = (attribute(name, name)?, attribute(name, value)?) else {
            return Ok(());
        };
        if self.attribute_value(name).is_some() {
            return Err(QueryError::AttributeTwice { name: name.to_owned() });
        }
        if self.attributes.len() == Self::ATTRIBUTES_MAX {
            return Err(QueryError::TooManyAttributes { max: Self::ATTRIBUTES_MAX });
        }
        self.attributes.push((name, value));
        Ok(())
    }

    /// With the Envoy descriptor it came as.
    ///
    /// # Errors
    ///
    /// [`QueryError::TooManyAttributes`] for too many entries.
    pub fn descriptor(mut self, entries: &[(&'a str, &'a str)]) -> Result<Self, QueryError> {
        if entries.len() > Self::ATTRIBUTES_MAX {
            return Err(QueryError::TooManyAttributes { max: Self::ATTRIBUTES_MAX });
        }
        self.descriptor = Some(entries.into());
        Ok(self)
    }

    /// Of another cost.
    #[must_use]
    pub const fn cost(mut self, cost: Cost) -> Self {
        self.cost = Some(cost);
        self
    }

    /// Puts a cost in the place of the one there was.
    pub const fn set_cost(&mut self, cost: Cost) {
        self.cost = Some(cost);
    }

    /// Asking for some throttles only.
    #[must_use]
    pub const fn scope(mut self, scope: Scope) -> Self {
        self.scope = Some(scope);
        self
    }

    /// Puts a scope in the place of the one there was.
    pub const fn set_scope(&mut self, scope: Scope) {
        self.scope = Some(scope);
    }

    /// Brings a limit along, which counts by the descriptor.
    pub fn set_own_limit(&mut self, limit: OwnLimit) {
        self.own_limit = Some(Box::new(limit));
    }
}

fn identifier<'a>(fact: &str, text: &'a str) -> Result<Option<&'a str>, QueryError> {
    normalise::identifier(text)
        .map_err(|error| QueryError::Identifier { fact: fact.to_owned(), error })
}

fn attribute<'a>(name: &str, text: &'a str) -> Result<Option<&'a str>, QueryError> {
    normalise::identifier(text).map_err(|error| QueryError::Identifier {
        fact: format!("attributes.{}", name.chars().take(64).collect::<String>()),
        error,
    })
}

/// What a request with an Envoy descriptor may bring along: a limit that counts by the descriptor, in the
/// place of every throttle of the rules. Blocks and exemptions stay.
///
/// ```
/// use tollgate_core::Timestamp;
/// use tollgate_rules::{Directory, OwnLimit, Query, RuleSet, Snapshot};
///
/// let rules: RuleSet = "version: 1\nrules: [{ name: all, key: [], limit: 5/min }]".parse()?;
/// let snapshot = Snapshot::compile(&rules, 1);
/// let mut query = Query::new().descriptor(&[("user", "alice")])?;
/// query.set_own_limit(OwnLimit::Limit("100/h".parse()?));
///
/// let plan = snapshot.plan(&query, &Directory::new(), Timestamp::EPOCH);
/// assert_eq!(plan.lines()[0].limit().limit.to_string(), "100/h");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OwnLimit {
    /// Nothing may pass.
    Nothing,
    /// So much may pass.
    Limit(Limit),
}

impl Query<'_> {
    /// Asks to be told of every limit that is met also what it is and what it counts by. Most do not need it, so for
    /// them nothing is worked out.
    pub const fn tell_in_full(&mut self) {
        self.is_told_in_full = true;
    }

    /// Whether it asks for that.
    pub const fn is_told_in_full(&self) -> bool {
        self.is_told_in_full
    }
}
