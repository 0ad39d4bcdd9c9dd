//! Why somebody is not who it says it is.

use std::fmt;

use super::{jwt::TokenFlaw, trust::Distrust};

/// Why a question is not answered, as far as it is about who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The API key that was shown is none.
    Key(KeyFlaw),
    /// The token that was shown is not believed.
    Token(TokenFlaw),
    /// A caller that is not trusted states what only trusted ones may.
    NotTrusted(Fact, Distrust),
    /// Two sources say different things.
    Contradiction(Fact, Source, Source),
}

/// What is wrong with an API key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum KeyFlaw {
    #[error("this is no API key: expected `tgk_` and 38 letters and digits; look for a slip in it")]
    Malformed,
    #[error("the API key is not known here: it was never issued, or was replaced")]
    Unknown,
    #[error("the API key has expired: ask for a new one")]
    Expired,
    #[error("the API key was revoked: ask for a new one")]
    Revoked,
}

/// What may be known of whoever asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fact {
    User,
    Org,
    Tier,
    /// Stated, never proven.
    Ip,
}

/// Where a fact is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Token,
    ApiKey,
    /// The question itself.
    Stated,
}

/// The classes of reasons: what programs and metrics are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    Malformed,
    Unknown,
    Expired,
    Revoked,
    NotConfigured,
    TooLarge,
    Algorithm,
    UnknownKey,
    Signature,
    NotYet,
    Issuer,
    Audience,
    Claims,
    NotTrusted,
    Contradiction,
}

impl Reason {
    /// Every reason, in the order of the manual.
    pub(crate) const ALL: [Self; 15] = [
        Self::Malformed,
        Self::Unknown,
        Self::Expired,
        Self::Revoked,
        Self::NotConfigured,
        Self::TooLarge,
        Self::Algorithm,
        Self::UnknownKey,
        Self::Signature,
        Self::NotYet,
        Self::Issuer,
        Self::Audience,
        Self::Claims,
        Self::NotTrusted,
        Self::Contradiction,
    ];

    /// Its word.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::Unknown => "unknown",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
            Self::NotConfigured => "not-configured",
            Self::TooLarge => "too-large",
            Self::Algorithm => "algorithm",
            Self::UnknownKey => "unknown-key",
            Self::Signature => "signature",
            Self::NotYet => "not-yet",
            Self::Issuer => "issuer",
            Self::Audience => "audience",
            Self::Claims => "claims",
            Self::NotTrusted => "not-trusted",
            Self::Contradiction => "contradiction",
        }
    }

    /// The status of the answer over HTTP.
    pub(crate) const fn status(self) -> u16 {
        match self {
            Self::NotTrusted => 403,
            Self::Contradiction => 400,
            _ => 401,
        }
    }

    /// Its place among all.
    pub(crate) const fn place(self) -> usize {
        self as usize
    }
}

impl Refused {
    /// The class of the reason.
    pub(crate) const fn reason(self) -> Reason {
        match self {
            Self::Key(KeyFlaw::Malformed) | Self::Token(TokenFlaw::Malformed) => Reason::Malformed,
            Self::Key(KeyFlaw::Unknown) => Reason::Unknown,
            Self::Key(KeyFlaw::Expired) | Self::Token(TokenFlaw::Expired) => Reason::Expired,
            Self::Key(KeyFlaw::Revoked) => Reason::Revoked,
            Self::Token(TokenFlaw::NotConfigured) => Reason::NotConfigured,
            Self::Token(TokenFlaw::TooLarge) => Reason::TooLarge,
            Self::Token(TokenFlaw::Algorithm) => Reason::Algorithm,
            Self::Token(TokenFlaw::UnknownKey) => Reason::UnknownKey,
            Self::Token(TokenFlaw::Signature) => Reason::Signature,
            Self::Token(TokenFlaw::NotYet) => Reason::NotYet,
            Self::Token(TokenFlaw::Issuer) => Reason::Issuer,
            Self::Token(TokenFlaw::Audience) => Reason::Audience,
            Self::Token(TokenFlaw::Claims) => Reason::Claims,
            Self::NotTrusted(..) => Reason::NotTrusted,
            Self::Contradiction(..) => Reason::Contradiction,
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(flaw) => flaw.fmt(f),
            Self::Token(flaw) => flaw.fmt(f),
            Self::NotTrusted(fact, why) => not_trusted(f, *fact, *why),
            Self::Contradiction(fact, one, other) => write!(
                f,
                "`{}` is one thing by {} and another by {}: leave one of them out",
                fact.name(),
                one.words(),
                other.words()
            ),
        }
    }
}

fn not_trusted(f: &mut fmt::Formatter<'_>, fact: Fact, why: Distrust) -> fmt::Result {
    let name = fact.name();
    match why {
        Distrust::Unknown => write!(
            f,
            "`{name}` may be stated by callers on this machine, with a certificate or with a token of this \
             server only: show one, or have your address added to trusted_callers"
        ),
        Distrust::Proxied => write!(
            f,
            "`{name}` may not be stated here: the request came through a proxy (it has X-Forwarded-*, Forwarded, \
             X-Real-IP or Via), so it is not trusted as one from this machine: send a token of this server, or have the \
             proxy's address added to trusted_callers"
        ),
        Distrust::Page => write!(
            f,
            "`{name}` may not be stated by a web page (the request has an Origin or Sec-Fetch-Site): send a token of this \
             server"
        ),
    }?;
    match fact {
        Fact::Ip => f.write_str("; without `ip` your own address counts"),
        Fact::User | Fact::Org | Fact::Tier => Ok(()),
    }
}

impl Fact {
    /// As questions call it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::User => "user_id",
            Self::Org => "org_id",
            Self::Tier => "tier",
            Self::Ip => "ip",
        }
    }
}

impl Source {
    const fn words(self) -> &'static str {
        match self {
            Self::Token => "the token",
            Self::ApiKey => "the API key",
            Self::Stated => "the request",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_reason_has_a_word_and_a_place_of_its_own() {
        let words: HashSet<&str> = Reason::ALL.iter().map(|reason| reason.word()).collect();
        assert_eq!(words.len(), Reason::ALL.len());
        for (place, reason) in Reason::ALL.into_iter().enumerate() {
            assert_eq!(reason.place(), place);
        }
    }
}
