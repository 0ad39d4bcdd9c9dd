//! How a query is put together, fact by fact.

use std::{net::IpAddr, sync::Arc};

use tollgate_core::Cost;

use super::{OwnLimit, Query, QueryError, Scope};
use crate::{
    KeyCard,
    normalise::{self, Path},
};

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
            return Err(QueryError::AttributeTwice {
                name: name.to_owned(),
            });
        }
        if self.attributes.len() == Self::ATTRIBUTES_MAX {
            return Err(QueryError::TooManyAttributes {
                max: Self::ATTRIBUTES_MAX,
            });
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
            return Err(QueryError::TooManyAttributes {
                max: Self::ATTRIBUTES_MAX,
            });
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
    normalise::identifier(text).map_err(|error| QueryError::Identifier {
        fact: fact.to_owned(),
        error,
    })
}

fn attribute<'a>(name: &str, text: &'a str) -> Result<Option<&'a str>, QueryError> {
    normalise::identifier(text).map_err(|error| QueryError::Identifier {
        fact: format!("attributes.{}", name.chars().take(64).collect::<String>()),
        error,
    })
}
