//! Why a request was allowed or denied.

use std::fmt;

/// Why a request was allowed or denied, in one word: `reason` in every answer.
///
/// ```
/// use tollgate_core::Reason;
///
/// assert_eq!(Reason::Throttled.word(), "throttled");
/// assert_eq!(Reason::from_word("blocked"), Some(Reason::Blocked));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// Every limit has room, or none is about the request.
    Allowed,
    /// A limit is used up.
    Throttled,
    /// A rule or an operator blocks the request.
    Blocked,
    /// The request lacks a fact without which a rule denies.
    Missing,
    /// The request has a tier that nothing names, and such requests are refused.
    UnknownTier,
    /// The counters could not be asked in time, or are too full to tell keys apart: the rule's `on_failure` answered.
    Fallback,
    /// The counters answered, but what they hold may be too little: the rule's `on_failure` answered.
    Doubt,
}

impl Reason {
    /// Every reason, in the order of the manual.
    pub const ALL: [Self; 7] = [
        Self::Allowed,
        Self::Throttled,
        Self::Blocked,
        Self::Missing,
        Self::UnknownTier,
        Self::Fallback,
        Self::Doubt,
    ];

    /// As in an answer.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Throttled => "throttled",
            Self::Blocked => "blocked",
            Self::Missing => "missing",
            Self::UnknownTier => "unknown-tier",
            Self::Fallback => "fallback",
            Self::Doubt => "doubt",
        }
    }

    /// The reason of this word; none for one that a later version may send.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.word() == word)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_found_by_its_word() {
        for reason in Reason::ALL {
            assert_eq!(Reason::from_word(reason.word()), Some(reason));
        }
        assert_eq!(Reason::from_word("shed"), None);
    }
}
