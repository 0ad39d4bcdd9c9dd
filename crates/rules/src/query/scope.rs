//! A question about some of the rules only.

use std::{fmt, str::FromStr};

use crate::{
    Field, Key,
    normalise::{AddressError, IdentifierError, MethodError, PathError},
};

/// Keeps the throttles whose key has a certain field. Blocks and allows are always walked.
///
/// ```
/// use tollgate_rules::Scope;
///
/// assert_eq!("user".parse(), Ok(Scope::User));
/// assert!("galaxy".parse::<Scope>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scope {
    /// Keys with `user`.
    User,
    /// Keys with `org`.
    Org,
    /// Keys with `ip`.
    Ip,
    /// Keys with `api_key`.
    ApiKey,
    /// Keys with `tier`.
    Tier,
    /// Keys with `endpoint`.
    Endpoint,
    /// The empty key.
    Global,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 7] =
        [Self::User, Self::Org, Self::Ip, Self::ApiKey, Self::Tier, Self::Endpoint, Self::Global];

    const fn field(self) -> Option<Field> {
        match self {
            Self::User => Some(Field::User),
            Self::Org => Some(Field::Org),
            Self::Ip => Some(Field::Ip),
            Self::ApiKey => Some(Field::ApiKey),
            Self::Tier => Some(Field::Tier),
            Self::Endpoint => Some(Field::Endpoint),
            Self::Global => None,
        }
    }

    /// Whether a throttle with this key is kept.
    pub fn keeps(self, key: &Key) -> bool {
        self.field().map_or_else(|| key.is_global(), |field| key.contains(&field))
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.field().as_ref().map_or("global", Field::word))
    }
}

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        let known = Self::ALL.into_iter().find(|scope| scope.to_string() == text);
        known.ok_or_else(|| UnknownScope(text.chars().take(64).collect()))
    }
}

/// A text that is not a scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown scope {0:?}: scopes are user, org, ip, api_key, tier, endpoint and global")]
pub struct UnknownScope(String);

/// What is wrong with a query; the message names the fact.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// The path has no normal form.
    #[error("endpoint: {0}")]
    Endpoint(#[source] PathError),
    /// Not a method.
    #[error("method: {0}")]
    Method(#[source] MethodError),
    /// Not an address.
    #[error("ip: {0}")]
    Ip(#[source] AddressError),
    /// Not an identifier.
    #[error("{fact}: {error}")]
    Identifier {
        /// Which fact.
        fact: String,
        /// What is wrong with it.
        #[source]
        error: IdentifierError,
    },
    /// More attributes than [`crate::Query::ATTRIBUTES_MAX`].
    #[error("more than {max} attributes")]
    TooManyAttributes {
        /// How many are allowed.
        max: usize,
    },
    /// An attribute that is there twice.
    #[error("attribute {name:?} is given twice")]
    AttributeTwice {
        /// Which.
        name: String,
    },
}
