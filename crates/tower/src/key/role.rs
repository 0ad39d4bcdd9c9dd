//! What a part of a key is to gates and servers.

use std::{fmt, sync::Arc};

use super::{Facts, Or};
use crate::RequestHead;

/// Reads what requests are told apart by.
///
/// To a plain limiter the values are the key, joined so that different ones never meet. To a gate or a server each
/// value is the fact that its [`Role`] says.
///
/// ```
/// use tollgate_tower::{Key as _, TollgateLayer, header, peer_ip};
///
/// // By API key, or by address where there is none; and by tenant.
/// let key = (header("x-api-key").or(peer_ip()), header("x-tenant").as_org());
/// let layer = TollgateLayer::embedded("100/min")?.key(key);
/// # Ok::<(), tollgate_tower::Error>(())
/// ```
#[expect(clippy::wrong_self_convention, reason = "`header(…).as_user()` reads as what it means")]
pub trait Key: Clone + Send + Sync + 'static {
    /// How many alternatives it has: they are told apart in the key.
    const WAYS: u16 = 1;

    /// Adds its value to the facts, or that there is none.
    fn read<'r>(&'r self, head: &RequestHead<'r>, facts: &mut Facts<'r>);

    /// Another key for requests that have none of this.
    fn or<O: Key>(self, other: O) -> Or<Self, O> {
        Or::new(self, other)
    }

    /// The value is the user: rules count by it with `key: [user]`.
    fn as_user(self) -> As<Self> {
        self.with_role(Role::User)
    }

    /// The value is the organisation: rules count by it with `key: [org]`.
    fn as_org(self) -> As<Self> {
        self.with_role(Role::Org)
    }

    /// The value is the API key.
    fn as_api_key(self) -> As<Self> {
        self.with_role(Role::ApiKey)
    }

    /// The value is the client's address.
    fn as_ip(self) -> As<Self> {
        self.with_role(Role::Ip)
    }

    /// The value is the tier.
    fn as_tier(self) -> As<Self> {
        self.with_role(Role::Tier)
    }

    /// The value is the region.
    fn as_region(self) -> As<Self> {
        self.with_role(Role::Region)
    }

    /// The value is the attribute of this name: rules count by it with `key: [attributes.NAME]`.
    fn as_attribute(self, name: &str) -> As<Self> {
        self.with_role(Role::Attribute(name.into()))
    }

    /// The value has this role.
    fn with_role(self, role: Role) -> As<Self> {
        As { key: self, role }
    }
}

/// Which fact a value is.
///
/// ```
/// use tollgate_tower::{Key as _, Role, header};
///
/// let tier = header("x-plan").with_role(Role::Tier);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// The user.
    User,
    /// The organisation.
    Org,
    /// The API key.
    ApiKey,
    /// A JSON Web Token that the server verifies; a gate is not told.
    Token,
    /// The client's address.
    Ip,
    /// The tier.
    Tier,
    /// The region.
    Region,
    /// The attribute of this name.
    Attribute(Arc<str>),
}

/// As rules call it, `user` or `attributes.plan`.
impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User => f.write_str("user"),
            Self::Org => f.write_str("org"),
            Self::ApiKey => f.write_str("api_key"),
            Self::Token => f.write_str("token"),
            Self::Ip => f.write_str("ip"),
            Self::Tier => f.write_str("tier"),
            Self::Region => f.write_str("region"),
            Self::Attribute(name) => write!(f, "attributes.{name}"),
        }
    }
}

/// A key in another [`Role`].
///
/// ```
/// use tollgate_tower::{As, Header, Key as _, header};
///
/// let key: As<Header> = header("x-customer").as_org();
/// ```
#[derive(Clone, Debug)]
pub struct As<K> {
    key: K,
    role: Role,
}

impl<K: Key> Key for As<K> {
    const WAYS: u16 = K::WAYS;

    fn read<'r>(&'r self, head: &RequestHead<'r>, facts: &mut Facts<'r>) {
        let before = facts.len();
        self.key.read(head, facts);
        facts.set_role(before, &self.role);
    }
}
