//! What a rule counts by.

use std::{fmt, str::FromStr, sync::Arc};

use smallvec::SmallVec;

/// The fields whose values name a counter; none at all is one counter for everyone.
///
/// The order of the fields has no meaning: they are kept sorted, so that writing them in another
/// order keeps the counters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Key {
    fields: Vec<KeyField>,
}

impl Key {
    /// The most fields a key may have.
    pub const FIELDS_MAX: usize = 8;

    /// A key of these fields.
    ///
    /// # Errors
    ///
    /// [`KeyError`] for too many fields, or one that is there twice.
    pub fn new(fields: impl IntoIterator<Item = KeyField>) -> Result<Self, KeyError> {
        let mut fields: Vec<KeyField> = fields.into_iter().take(Self::FIELDS_MAX + 1).collect();
        if fields.len() > Self::FIELDS_MAX {
            return Err(KeyError::TooManyFields { max: Self::FIELDS_MAX });
        }
        let mut named: Vec<&Field> = fields.iter().flat_map(KeyField::alternatives).collect();
        named.sort_unstable();
        if let Some([twice, _]) = named.array_windows().find(|[one, two]| one == two) {
            return Err(KeyError::Twice { field: twice.to_string() });
        }
        fields.sort_unstable_by(|one, two| one.alternatives.cmp(&two.alternatives));
        Ok(Self { fields })
    }

    /// One counter for everyone.
    pub const fn global() -> Self {
        Self { fields: Vec::new() }
    }

    /// The fields, sorted.
    pub fn fields(&self) -> &[KeyField] {
        &self.fields
    }

    /// Whether everyone shares one counter.
    pub const fn is_global(&self) -> bool {
        self.fields.is_empty()
    }

    /// Whether the key has this field, alone or among alternatives.
    pub fn contains(&self, field: &Field) -> bool {
        let mut named = self.fields.iter().flat_map(KeyField::alternatives);
        named.any(|known| known == field)
    }
}

/// As in a file: `[user, ip/56]`, `[]`.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (place, field) in self.fields.iter().enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            write!(f, "{comma}{field}")?;
        }
        f.write_str("]")
    }
}

/// One field of a key, or several of which the first that is present counts: `user|api_key|ip`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeyField {
    alternatives: SmallVec<[Field; 2]>,
    ipv6_prefix: u8,
}

impl KeyField {
    /// Addresses of IPv6 are counted by their network of this size unless told otherwise.
    pub const IPV6_PREFIX_DEFAULT: u8 = 64;

    /// The first of these fields that a request has.
    ///
    /// # Errors
    ///
    /// [`KeyError`] for none, too many, or one that is there twice.
    pub fn first_of(fields: impl IntoIterator<Item = Field>) -> Result<Self, KeyError> {
        let alternatives: SmallVec<[Field; 2]> =
            fields.into_iter().take(Key::FIELDS_MAX + 1).collect();
        if alternatives.is_empty() {
            return Err(KeyError::NoAlternative);
        }
        if alternatives.len() > Key::FIELDS_MAX {
            return Err(KeyError::TooManyFields { max: Key::FIELDS_MAX });
        }
        Ok(Self { alternatives, ipv6_prefix: Self::IPV6_PREFIX_DEFAULT })
    }

    /// The same field with addresses of IPv6 counted by networks of `bits`.
    ///
    /// # Errors
    ///
    /// [`KeyError::Ipv6Prefix`] unless `bits` is from 1 to 128 and `ip` is among the fields.
    pub fn with_ipv6_prefix(mut self, bits: u8) -> Result<Self, KeyError> {
        if !(1..=128).contains(&bits) || !self.alternatives.contains(&Field::Ip) {
            return Err(KeyError::Ipv6Prefix { bits });
        }
        self.ipv6_prefix = bits;
        Ok(self)
    }

    /// The fields, in the order in which they are tried.
    pub fn alternatives(&self) -> &[Field] {
        &self.alternatives
    }

    /// How many bits of an IPv6 address count.
    pub const fn ipv6_prefix(&self) -> u8 {
        self.ipv6_prefix
    }
}

impl From<Field> for KeyField {
    fn from(field: Field) -> Self {
        Self { alternatives: SmallVec::from_iter([field]), ipv6_prefix: Self::IPV6_PREFIX_DEFAULT }
    }
}

/// As in a file: `user|ip/56`.
impl fmt::Display for KeyField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, field) in self.alternatives.iter().enumerate() {
            let bar = if place == 0 { "" } else { "|" };
            write!(f, "{bar}{field}")?;
            if *field == Field::Ip && self.ipv6_prefix != Self::IPV6_PREFIX_DEFAULT {
                write!(f, "/{}", self.ipv6_prefix)?;
            }
        }
        Ok(())
    }
}

/// What to do with a request that lacks a fact the key needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Missing {
    /// The rule does not apply.
    #[default]
    Skip,
    /// All such requests share one counter.
    Shared,
    /// The request is denied.
    Deny,
}

/// Why fields do not make a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// More fields than [`Key::FIELDS_MAX`].
    #[error("a key has at most {max} fields")]
    TooManyFields {
        /// How many are allowed.
        max: usize,
    },
    /// A field that would count twice.
    #[error("{field} is in the key twice: keep one of them")]
    Twice {
        /// Which.
        field: String,
    },
    /// Alternatives without any field.
    #[error("a key field names no fact: write for example user or user|ip")]
    NoAlternative,
    /// A prefix length that cannot be, or on something that is no address.
    #[error("/{bits} is not a network of IPv6: write ip/N with N from 1 to 128, for example ip/56")]
    Ipv6Prefix {
        /// What was given.
        bits: u8,
    },
}

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
            return is_fine.then(|| Self::Attribute(name.into())).ok_or_else(unknown);
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
