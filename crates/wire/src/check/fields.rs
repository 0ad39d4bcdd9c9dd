//! The fields of a check.

/// What a body is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To decide.
    Check,
    /// To peek, refund or reset.
    Deed,
}

/// A field of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// Who asks.
    UserId,
    /// For which organisation.
    OrgId,
    /// With which API key.
    ApiKey,
    /// With which token of somebody who vouches for it.
    Token,
    /// From which address.
    Ip,
    /// Of which tier.
    Tier,
    /// For which path.
    Endpoint,
    /// By which method.
    Method,
    /// In which region.
    Region,
    /// What else is known.
    Attributes,
    /// How much the request weighs.
    Cost,
    /// Which throttles are asked for.
    Scope,
    /// Under which name the request may be repeated.
    RequestId,
    /// Whose counters only.
    Rule,
}

impl Field {
    /// Every field, in the order of the manual.
    pub const ALL: [Self; 14] = [
        Self::UserId,
        Self::OrgId,
        Self::ApiKey,
        Self::Token,
        Self::Ip,
        Self::Tier,
        Self::Endpoint,
        Self::Method,
        Self::Region,
        Self::Attributes,
        Self::Cost,
        Self::Scope,
        Self::RequestId,
        Self::Rule,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UserId => "user_id",
            Self::OrgId => "org_id",
            Self::ApiKey => "api_key",
            Self::Token => "token",
            Self::Ip => "ip",
            Self::Tier => "tier",
            Self::Endpoint => "endpoint",
            Self::Method => "method",
            Self::Region => "region",
            Self::Attributes => "attributes",
            Self::Cost => "cost",
            Self::Scope => "scope",
            Self::RequestId => "request_id",
            Self::Rule => "rule",
        }
    }

    /// The field of this name.
    #[inline]
    pub fn of(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"user_id" => Self::UserId,
            b"org_id" => Self::OrgId,
            b"api_key" => Self::ApiKey,
            b"token" => Self::Token,
            b"ip" => Self::Ip,
            b"tier" => Self::Tier,
            b"endpoint" => Self::Endpoint,
            b"method" => Self::Method,
            b"region" => Self::Region,
            b"attributes" => Self::Attributes,
            b"cost" => Self::Cost,
            b"scope" => Self::Scope,
            b"request_id" => Self::RequestId,
            b"rule" => Self::Rule,
            _ => return None,
        })
    }

    /// Whether a body for this purpose may have it.
    pub const fn serves(self, purpose: Purpose) -> bool {
        match self {
            Self::RequestId => matches!(purpose, Purpose::Check),
            Self::Rule => matches!(purpose, Purpose::Deed),
            _ => true,
        }
    }

    /// The fields that a body for this purpose may have.
    pub(super) fn known(purpose: Purpose) -> impl Iterator<Item = &'static str> + Clone {
        let serves = move |field: &Self| field.serves(purpose);
        Self::ALL.into_iter().filter(serves).map(Self::name)
    }

    /// A bit of its own.
    pub const fn bit(self) -> u16 {
        1 << (self as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_found_by_its_name() {
        for field in Field::ALL {
            assert_eq!(Field::of(field.name().as_bytes()), Some(field));
        }
        let bits = Field::ALL.iter().fold(0, |bits, field| bits | field.bit());
        assert_eq!(bits.count_ones(), 14);
    }
}
