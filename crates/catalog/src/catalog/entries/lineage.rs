//! Who issued a token, and who issued that.

use std::{fmt, str::FromStr, sync::Arc};

/// The most issuers above one token.
pub const ISSUERS_MAX: usize = 32;

/// What issues tokens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Issuer {
    /// The token that a server is started with.
    Start,
    /// The token that the first start of a server makes.
    FirstStart,
    /// A caller on the server's own machine that showed nothing.
    Loopback,
    /// A certificate, by its name.
    Certificate(Arc<str>),
    /// An issued token, by its id.
    Token(Arc<str>),
    /// As [`Issuer::Token`], from before issuers went on record.
    OlderToken(Arc<str>),
    /// An issuer that is not on record.
    Unknown,
}

const TOKEN: &str = "token:";
const OLDER_TOKEN: &str = "older-token:";
const CERTIFICATE: &str = "certificate:";

impl fmt::Display for Issuer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start => f.write_str("start"),
            Self::FirstStart => f.write_str("first-start"),
            Self::Loopback => f.write_str("loopback"),
            Self::Certificate(name) => write!(f, "{CERTIFICATE}{name}"),
            Self::Token(id) => write!(f, "{TOKEN}{id}"),
            Self::OlderToken(id) => write!(f, "{OLDER_TOKEN}{id}"),
            Self::Unknown => f.write_str("unknown"),
        }
    }
}

/// A word that names no issuer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an issuer that this release does not know")]
pub struct NoIssuer;

impl FromStr for Issuer {
    type Err = NoIssuer;

    fn from_str(text: &str) -> Result<Self, NoIssuer> {
        Ok(match text {
            "start" => Self::Start,
            "first-start" => Self::FirstStart,
            "loopback" => Self::Loopback,
            "unknown" => Self::Unknown,
            other => {
                let named = |prefix| other.strip_prefix(prefix).map(Arc::from);
                let token = named(TOKEN).map(Self::Token);
                let token = token.or_else(|| named(OLDER_TOKEN).map(Self::OlderToken));
                let issuer = token.or_else(|| named(CERTIFICATE).map(Self::Certificate));
                return issuer.ok_or(NoIssuer);
            }
        })
    }
}

/// A line of issue: each issued the next, the first was issued by none of them. It is stored whole with what it is the
/// line of, so that it outlives every token in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lineage(Arc<[Issuer]>);

impl Lineage {
    /// Which begins and ends with this.
    pub fn root(issuer: Issuer) -> Self {
        Self(Arc::from([issuer]))
    }

    /// What is not on record.
    pub fn unknown() -> Self {
        Self::root(Issuer::Unknown)
    }

    /// The same, one longer.
    #[must_use]
    pub fn then(&self, next: Issuer) -> Self {
        Self(self.0.iter().cloned().chain([next]).collect())
    }

    /// From the first to the last.
    pub fn issuers(&self) -> &[Issuer] {
        &self.0
    }

    /// What it is the line of.
    pub fn last(&self) -> &Issuer {
        self.0.last().unwrap_or(&Issuer::Unknown)
    }

    /// As it is stored and shown.
    pub fn words(&self) -> Vec<String> {
        self.0.iter().map(ToString::to_string).collect()
    }

    /// As [`Lineage::words`] wrote it.
    ///
    /// # Errors
    ///
    /// If there is none, or one is none that this release knows.
    pub fn read(words: &[String]) -> Result<Self, NoIssuer> {
        if words.is_empty() {
            return Err(NoIssuer);
        }
        let issuers: Result<_, NoIssuer> = words.iter().map(|word| word.parse()).collect();
        issuers.map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_it_is_written() {
        let certificate = Issuer::Certificate("token:t1 of ada".into());
        let line = [Issuer::FirstStart, Issuer::Loopback, certificate]
            .into_iter()
            .fold(Lineage::root(Issuer::Start), |line, next| line.then(next))
            .then(Issuer::OlderToken("t3".into()))
            .then(Issuer::Token("t7".into()))
            .then(Issuer::Unknown);
        assert_eq!(Lineage::read(&line.words()), Ok(line.clone()));
        assert_eq!((line.issuers().len(), line.last()), (7, &Issuer::Unknown));
        for wrong in ["", "root", "Start", "t7"] {
            assert_eq!(Lineage::read(&[wrong.to_owned()]), Err(NoIssuer));
        }
        assert_eq!(Lineage::read(&[]), Err(NoIssuer));
    }
}
