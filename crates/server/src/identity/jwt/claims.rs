//! What a token says of its bearer.

use std::{
    fs::File,
    io,
    io::Read as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use serde_json::Value;
use tollgate_core::Timestamp;
use tollgate_rules::normalise::identifier;
use tollgate_wire::claims::Claims;

use super::Keys;
use crate::config::{Jwt, JwtSecret};

/// What is known of the bearer of a token that was verified.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) user: Arc<str>,
    pub(crate) org: Option<Arc<str>>,
    pub(crate) tier: Option<Arc<str>>,
    begins_s: u64,
    expires_s: u64,
}

/// All claims of a token whose signature is right.
#[derive(Debug)]
pub(super) struct Said<'c>(pub(super) &'c Claims);

impl Said<'_> {
    /// What they say, if it is for us and can be used.
    pub(super) fn facts(&self, jwt: &Jwt) -> Result<Facts, TokenFlaw> {
        let Jwt { issuer, audience, .. } = jwt;
        if let Some(issuer) = issuer
            && self.0.get("iss").and_then(Value::as_str) != Some(issuer)
        {
            return Err(TokenFlaw::Issuer);
        }
        if let Some(audience) = audience
            && !self.is_for(audience)
        {
            return Err(TokenFlaw::Audience);
        }
        let expires_s = self.moment("exp")?.ok_or(TokenFlaw::Claims)?;
        let begins_s = self.moment("nbf")?.unwrap_or(0);
        let names = &jwt.claims;
        Ok(Facts {
            user: self.text(&names.user)?.ok_or(TokenFlaw::Claims)?,
            org: self.text(&names.org)?,
            tier: self.text(&names.tier)?,
            begins_s,
            expires_s,
        })
    }

    fn is_for(&self, audience: &str) -> bool {
        match self.0.get("aud") {
            Some(Value::String(one)) => one == audience,
            Some(Value::Array(many)) => many.iter().any(|one| one.as_str() == Some(audience)),
            _ => false,
        }
    }

    /// Seconds since 1970, as a number and nothing else; some issuers have fractions.
    fn moment(&self, name: &str) -> Result<Option<u64>, TokenFlaw> {
        let Some(value) = self.0.get(name) else {
            return Ok(None);
        };
        let of_fraction = || {
            let seconds = Duration::try_from_secs_f64(value.as_f64()?);
            seconds.ok().map(|span| span.as_secs())
        };
        let seconds = value.as_u64().or_else(of_fraction);
        seconds.map(Some).ok_or(TokenFlaw::Claims)
    }

    fn text(&self, name: &str) -> Result<Option<Arc<str>>, TokenFlaw> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => {
                let text = identifier(text).map_err(|_| TokenFlaw::Claims)?;
                Ok(text.map(Arc::from))
            }
            Some(_) => Err(TokenFlaw::Claims),
        }
    }
}

impl Facts {
    /// Whether the token is valid now, give or take how far clocks differ.
    pub(super) fn holds(&self, now: Timestamp, leeway: Duration) -> Result<(), TokenFlaw> {
        let (now_s, leeway_s) = (now.as_micros() / 1_000_000, leeway.as_secs());
        if now_s >= self.expires_s.saturating_add(leeway_s) {
            return Err(TokenFlaw::Expired);
        }
        if now_s.saturating_add(leeway_s) < self.begins_s {
            return Err(TokenFlaw::NotYet);
        }
        Ok(())
    }
}

/// What the files hold.
#[derive(Clone, PartialEq, Eq)]
pub(in crate::identity) struct Contents {
    pub(super) secret: Option<Vec<u8>>,
    pub(super) key: Option<Vec<u8>>,
    pub(super) jwks: Option<Vec<u8>>,
}

/// Why tokens cannot be verified with a file.
#[derive(Debug, thiserror::Error)]
#[error("cannot verify tokens with {} ({setting}): {flaw}", .path.display())]
pub struct JwtKeysError {
    path: PathBuf,
    setting: &'static str,
    flaw: KeysFlaw,
}

/// What is wrong with it.
#[derive(Debug, thiserror::Error)]
pub(super) enum KeysFlaw {
    #[error("{0}; make the file readable for this user")]
    Unreadable(io::Error),
    #[error("it has more than {FILE_BYTES_MAX} bytes")]
    TooLong,
    #[error("expected at least {0} characters; `openssl rand -hex 32` makes them")]
    Short(usize),
    #[error("it holds PEM, and a public key is no secret: name it with jwt_key_file")]
    NoSecret,
    #[error("it holds a private key: name the public one, since nothing is signed here")]
    Private,
    #[error("expected one public key of RSA, P-256, P-384 or Ed25519 in PEM")]
    NoKey,
    #[error("no algorithm of jwt_algorithms is for a key of this kind")]
    Unused,
    #[error("expected a JWKS, an object with `keys`: {0}")]
    NoJwks(String),
    #[error("none of its keys can be used for an algorithm of jwt_algorithms")]
    NoUsable,
    #[error("it has more than {0} keys")]
    TooMany(usize),
    #[error("two of its keys have the same `kid`")]
    SameName,
    #[error("reading it takes longer than {0:?}: is its file system there?")]
    Hangs(Duration),
}

/// No key, and no set of them, is longer.
const FILE_BYTES_MAX: u64 = 1 << 20;

impl Contents {
    /// Reads all files.
    pub(super) fn read(jwt: &Jwt) -> Result<Self, JwtKeysError> {
        let secret = match &jwt.secret {
            None => None,
            Some(JwtSecret::Given(text)) => Some(text.as_bytes().to_vec()),
            Some(JwtSecret::File(path)) => {
                let bytes = read(path).map_err(|flaw| flaw.at(path, "jwt_secret_file"))?;
                Some(bytes.trim_ascii().to_vec())
            }
        };
        let file = |path: &Option<PathBuf>, setting| {
            let path = path.as_deref();
            let bytes = path.map(|path| read(path).map_err(|flaw| flaw.at(path, setting)));
            bytes.transpose()
        };
        Ok(Self {
            secret,
            key: file(&jwt.key_file, "jwt_key_file")?,
            jwks: file(&jwt.jwks_file, "jwt_jwks_file")?,
        })
    }

    /// What is new, if anything is.
    pub(super) fn news(&self, jwt: &Jwt) -> Result<Option<(Self, Keys)>, JwtKeysError> {
        let read = Self::read(jwt)?;
        if read == *self {
            return Ok(None);
        }
        let keys = Keys::of(&read, jwt)?;
        Ok(Some((read, keys)))
    }
}

/// Secrets are never shown.
impl std::fmt::Debug for Contents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Contents(…)")
    }
}

impl KeysFlaw {
    pub(super) fn at(self, path: &Path, setting: &'static str) -> JwtKeysError {
        JwtKeysError { path: path.to_owned(), setting, flaw: self }
    }
}

fn read(path: &Path) -> Result<Vec<u8>, KeysFlaw> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(KeysFlaw::Unreadable)?;
    let mut file = file.take(FILE_BYTES_MAX + 1);
    let read = file.read_to_end(&mut bytes).map_err(KeysFlaw::Unreadable)?;
    if u64::try_from(read).is_ok_and(|read| read <= FILE_BYTES_MAX) {
        return Ok(bytes);
    }
    Err(KeysFlaw::TooLong)
}

/// Why a token is not believed. None of the words repeats what the token holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TokenFlaw {
    #[error(
        "tokens are not verified here: leave the token out, or start the server with --jwt-algorithms and a key"
    )]
    NotConfigured,
    #[error("the token has more than {max} bytes", max = super::Verifier::TOKEN_BYTES_MAX)]
    TooLarge,
    #[error("this is no JWT: expected three parts in base64url with dots between them")]
    Malformed,
    #[error("the token is not signed with an algorithm of jwt_algorithms")]
    Algorithm,
    #[error("the token names no key that is known here: its `kid` must be in the JWKS")]
    UnknownKey,
    #[error("the token's signature is wrong")]
    Signature,
    #[error("the token has expired")]
    Expired,
    #[error("the token is not valid yet")]
    NotYet,
    #[error("the token was issued by somebody else: its `iss` must be the jwt_issuer")]
    Issuer,
    #[error("the token is for somebody else: its `aud` must have the jwt_audience")]
    Audience,
    #[error(
        "the token's claims cannot be used: `exp` and `nbf` must be numbers, the claims of user, organisation and \
         tier texts, each at most once, and `exp` and the user's must be there"
    )]
    Claims,
}
