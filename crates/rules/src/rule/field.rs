//! The facts of a request that rules speak about.

use std::{fmt, str::FromStr, sync::Arc};

/// A fact by name: what a rule matches, or counts by.
///
/// ```
/// use tollgate_rules::Field;
///
/// assert_eq!("api_key".parse(), Ok(Field::ApiKey));
/// assert_eq!("attributes.plan".parse(), Ok(Field::Attribute("plan".into())));
/// assert_eq!(Field::ApiKey.to_string(), "api_key");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Field {
    /// The user.
    User,
    /// The organisation.
    Org,
    /// The API key, by its id.
    ApiKey,
    /// The client's address.
    Ip,
    /// The tier.
    Tier,
    /// The endpoint: the rule's pattern, or without one the normalised path.
    Endpoint,
    /// The method.
    Method,
    /// The region.
    Region,
    /// A free-form attribute.
    Attribute(Arc<str>),
}

impl Field {
    /// The fields that have a name of their own.
    pub const NAMED: [Self; 8] = [
        Self::User,
        Self::Org,
        Self::ApiKey,
        Self::Ip,
        Self::Tier,
        Self::Endpoint,
        Self::Method,
        Self::Region,
    ];

    /// The longest name of an attribute.
    pub const ATTRIBUTE_BYTES_MAX: usize = 128;

    /// How a field other than an attribute is written; an attribute is `attributes`.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Org => "org",
            Self::ApiKey => "api_key",
            Self::Ip => "ip",
            Self::Tier => "tier",
            Self::Endpoint => "endpoint",
            Self::Method => "method",
            Self::Region => "region",
            Self::Attribute(_) => "attributes",
        }
    }

    /// Marks an attribute in a counter's key.
    pub(crate) const ATTRIBUTE_TAG: u8 = 9;

    /// Marks the field in a counter's key. Part of a counter's identity: never change a number.
    pub(crate) const fn tag(&self) -> u8 {
        match self {
            Self::User => 1,
            Self::Org => 2,
            Self::ApiKey => 3,
            Self::Ip => 4,
            Self::Tier => 5,
            Self::Endpoint => 6,
            Self::Method => 7,
            Self::Region => 8,
            Self::Attribute(_) => Self::ATTRIBUTE_TAG,
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attribute(name) => write!(f, "attributes.{name}"),
            named => f.write_str(named.word()),
        }
    }
}

impl FromStr for Field {
    type Err = UnknownField;

    fn from_str(text: &str) -> Result<Self, UnknownField> {
        let unknown = || UnknownField(text.chars().take(64).collect());
        if let Some(name) = text.strip_prefix("attributes.") {
            let is_fine = !name.is_empty() && name.len() <= Self::ATTRIBUTE_BYTES_MAX;
            return is_fine
                .then(|| Self::Attribute(name.into()))
                .ok_or_else(unknown);
        }
        let named = Self::NAMED.into_iter().find(|field| field.word() == text);
        named.ok_or_else(unknown)
    }
}

/// A text that is not the name of a field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown field {0:?}: fields are user, org, ip, api_key, tier, endpoint, method, region and \
     attributes.NAME"
)]
pub struct UnknownField(String);
