//! How a query is put together, fact by fact.

use tollgate_core::Cost;

use super::{Query, QueryError, Scope};
use crate::normalise::{self, Path};

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
        self.user = identifier("user", user)?;
        Ok(self)
    }

    /// With an organisation.
    ///
    /// # Errors
    ///
    /// [`QueryError::Identifier`].
    pub fn org(mut self, org: &'a str) -> Result<Self, QueryError> {
        self.org = identifier("org", org)?;
        Ok(self)
    }

    /// With an API key, by its id.
    ///
    /// # Errors
    ///
    /// [`QueryError::Identifier`].
    pub fn api_key(mut self, id: &'a str) -> Result<Self, QueryError> {
        self.api_key = identifier("api_key", id)?;
        Ok(self)
    }

    /// With a tier.
    ///
    /// # Errors
    ///
    /// [`QueryError::Identifier`].
    pub fn tier(mut self, tier: &'a str) -> Result<Self, QueryError> {
        self.tier = identifier("tier", tier)?;
        Ok(self)
    }

    /// With a region.
    ///
    /// # Errors
    ///
    /// [`QueryError::Identifier`].
    pub fn region(mut self, region: &'a str) -> Result<Self, QueryError> {
        self.region = identifier("region", region)?;
        Ok(self)
    }

    /// With the client's address.
    ///
    /// # Errors
    ///
    /// [`QueryError::Ip`].
    pub fn ip(mut self, address: &'a str) -> Result<Self, QueryError> {
        self.ip = match identifier("ip", address)? {
            None => None,
            Some(text) => Some(normalise::address(text).map_err(QueryError::Ip)?),
        };
        Ok(self)
    }

    /// With the path that is asked for.
    ///
    /// # Errors
    ///
    /// [`QueryError::Endpoint`].
    pub fn endpoint(mut self, path: &'a str) -> Result<Self, QueryError> {
        self.path = match path {
            "" => None,
            path => Some(Path::new(path).map_err(QueryError::Endpoint)?),
        };
        Ok(self)
    }

    /// With a method.
    ///
    /// # Errors
    ///
    /// [`QueryError::Method`].
    pub fn method(mut self, method: &'a str) -> Result<Self, QueryError> {
        self.method = match method.trim_ascii() {
            "" => None,
            method => Some(method.parse().map_err(QueryError::Method)?),
        };
        Ok(self)
    }

    /// With one more attribute; an empty value is a missing attribute.
    ///
    /// # Errors
    ///
    /// [`QueryError::Identifier`], [`QueryError::TooManyAttributes`], [`QueryError::AttributeTwice`].
    pub fn attribute(mut self, name: &'a str, value: &'a str) -> Result<Self, QueryError> {
        let (Some(name), Some(value)) = (attribute(name, name)?, attribute(name, value)?) else {
            return Ok(self);
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
        Ok(self)
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
        self.descriptor = Some(entries.iter().copied().collect());
        Ok(self)
    }

    /// Of another cost.
    #[must_use]
    pub const fn cost(mut self, cost: Cost) -> Self {
        self.cost = Some(cost);
        self
    }

    /// Asking for some throttles only.
    #[must_use]
    pub const fn scope(mut self, scope: Scope) -> Self {
        self.scope = Some(scope);
        self
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
