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

/// The longest name that is compared: beyond it nothing can be near.
const COMPARED_BYTES_MAX: usize = 24;
/// The shortest part of a name that stands for it.
const PART_BYTES_MIN: usize = 2;

/// The candidate that is near enough to be meant: one of whose name the given is a part, else the one
/// with the fewest edits between.
pub(super) fn nearest(
    given: &str,
    mut candidates: impl Iterator<Item = &'static str> + Clone,
) -> Option<&'static str> {
    if given.len() > COMPARED_BYTES_MAX {
        return None;
    }
    let given = given.to_ascii_lowercase().replace('-', "_");
    let bare = given.replace('_', "");
    let is_part = |candidate: &&str| {
        let whole = candidate.replace('_', "");
        bare.len() >= PART_BYTES_MIN && (whole.starts_with(&bare) || whole.ends_with(&bare))
    };
    let near = |candidate: &'static str| {
        let edits = edits(given.as_bytes(), candidate.as_bytes());
        (edits <= given.len().max(candidate.len()) / 3).then_some((edits, candidate))
    };
    let by_edits = candidates.clone().filter_map(near).min();
    match by_edits {
        Some((_, name)) => Some(name),
        None => candidates.find(is_part),
    }
}

/// Levenshtein's distance, one row at a time.
fn edits(given: &[u8], candidate: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=given.len()).collect();
    for (line, wanted) in candidate.iter().enumerate() {
        let mut diagonal = line;
        let mut left = line + 1;
        for (cell, letter) in row.iter_mut().skip(1).zip(given) {
            let replaced = diagonal + usize::from(letter != wanted);
            diagonal = *cell;
            left = replaced.min(*cell + 1).min(left + 1);
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = line + 1;
        }
    }
    row.last().copied().unwrap_or(usize::MAX)
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

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["user_id", "org_id", "api_key", "ip", "endpoint", "method"].into_iter();
        for (given, meant) in [
            ("user", Some("user_id")),
            ("userId", Some("user_id")),
            ("org", Some("org_id")),
            ("key", Some("api_key")),
            ("apikey", Some("api_key")),
            ("endpont", Some("endpoint")),
            ("Method", Some("method")),
            ("path", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(given, names.clone()), meant, "{given}");
        }
    }
}
