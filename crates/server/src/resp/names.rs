//! The names of fields.

/// A field of `TG.CHECK` and its sisters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    UserId,
    OrgId,
    ApiKey,
    Ip,
    Tier,
    Endpoint,
    Method,
    Region,
    Cost,
    Scope,
    /// Of checks only.
    RequestId,
    /// Of the others only.
    Rule,
}

impl Field {
    const ALL: [Self; 12] = [
        Self::UserId,
        Self::OrgId,
        Self::ApiKey,
        Self::Ip,
        Self::Tier,
        Self::Endpoint,
        Self::Method,
        Self::Region,
        Self::Cost,
        Self::Scope,
        Self::RequestId,
        Self::Rule,
    ];

    #[inline]
    pub(super) fn of(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"user_id" => Self::UserId,
            b"org_id" => Self::OrgId,
            b"api_key" => Self::ApiKey,
            b"ip" => Self::Ip,
            b"tier" => Self::Tier,
            b"endpoint" => Self::Endpoint,
            b"method" => Self::Method,
            b"region" => Self::Region,
            b"cost" => Self::Cost,
            b"scope" => Self::Scope,
            b"request_id" => Self::RequestId,
            b"rule" => Self::Rule,
            _ => return None,
        })
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::UserId => "user_id",
            Self::OrgId => "org_id",
            Self::ApiKey => "api_key",
            Self::Ip => "ip",
            Self::Tier => "tier",
            Self::Endpoint => "endpoint",
            Self::Method => "method",
            Self::Region => "region",
            Self::Cost => "cost",
            Self::Scope => "scope",
            Self::RequestId => "request_id",
            Self::Rule => "rule",
        }
    }

    pub(super) const fn bit(self) -> u16 {
        1 << (self as u16)
    }

    /// Every name, and how attributes begin.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().map(Self::name).chain(["attributes."])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_found_by_its_name() {
        let mut bits = 0_u16;
        for field in Field::ALL {
            assert_eq!(Field::of(field.name().as_bytes()), Some(field));
            bits |= field.bit();
        }
        assert_eq!(bits.count_ones(), 12);
    }
}
