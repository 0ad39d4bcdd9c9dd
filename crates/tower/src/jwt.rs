//! A key by a claim of a verified token.

use std::{borrow::Cow, fmt, sync::Arc};

use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode};
use tollgate_wire::claims::Claims;

use crate::{Error, Facts, Key, RequestHead, Role, key::shown_token};

/// Keyed by a claim of the JSON Web Token in `Authorization: Bearer …`: the user, unless said. The token is verified
/// with the key that is given and no other algorithm than that key's; one that is not right, or expired, is missing, and so is a
/// claim that is no text.
///
/// ```
/// use tollgate_tower::{JwtKey, TollgateLayer, jwt_claim};
///
/// let key = JwtKey::hs256(b"a secret of at least thirty-two bytes")?.issuer("https://login.example");
/// let layer = TollgateLayer::embedded("100/min")?.key(jwt_claim("sub", key));
/// # Ok::<(), tollgate_tower::Error>(())
/// ```
///
/// Each request is verified anew. If your host verifies tokens itself, do not do it twice: use
/// [`key_fn`](crate::key_fn) on what it puts into the extensions.
pub fn jwt_claim(name: &str, key: JwtKey) -> JwtClaim {
    JwtClaim { name: name.into(), key: Arc::new(key) }
}

/// What tokens are verified with: a key, the one algorithm that it is for, and what they have to say.
///
/// ```
/// use tollgate_tower::JwtKey;
///
/// assert!(JwtKey::hs256(b"too short").is_err());
/// let key = JwtKey::hs256(b"a secret of at least thirty-two bytes")?.audience("search");
/// # Ok::<(), tollgate_tower::Error>(())
/// ```
pub struct JwtKey {
    key: DecodingKey,
    validation: Validation,
}

/// The shortest secret of HS256 that RFC 7518 allows.
const SECRET_BYTES_MIN: usize = 32;
/// Longer tokens are none.
const TOKEN_BYTES_MAX: usize = 8 * 1024;

impl JwtKey {
    /// A secret that is shared with whoever signs, for HS256.
    ///
    /// # Errors
    ///
    /// [`Error::TokenKey`] for fewer than 32 bytes.
    pub fn hs256(secret: &[u8]) -> Result<Self, Error> {
        if secret.len() < SECRET_BYTES_MIN {
            let bytes = secret.len();
            return Err(Error::TokenKey(format!(
                "a secret of {bytes} bytes can be guessed: take {SECRET_BYTES_MIN} or more"
            )));
        }
        Ok(Self::new(Algorithm::HS256, DecodingKey::from_secret(secret)))
    }

    /// A public key of RSA in PEM, for RS256.
    ///
    /// # Errors
    ///
    /// [`Error::TokenKey`] for what is no such key.
    pub fn rs256(pem: &[u8]) -> Result<Self, Error> {
        Ok(Self::new(Algorithm::RS256, DecodingKey::from_rsa_pem(pem).map_err(wrong)?))
    }

    /// A public key of the curve P-256 in PEM, for ES256.
    ///
    /// # Errors
    ///
    /// [`Error::TokenKey`] for what is no such key.
    pub fn es256(pem: &[u8]) -> Result<Self, Error> {
        Ok(Self::new(Algorithm::ES256, DecodingKey::from_ec_pem(pem).map_err(wrong)?))
    }

    /// A public key of Ed25519 in PEM, for EdDSA.
    ///
    /// # Errors
    ///
    /// [`Error::TokenKey`] for what is no such key.
    pub fn eddsa(pem: &[u8]) -> Result<Self, Error> {
        Ok(Self::new(Algorithm::EdDSA, DecodingKey::from_ed_pem(pem).map_err(wrong)?))
    }

    fn new(algorithm: Algorithm, key: DecodingKey) -> Self {
        let mut validation = Validation::new(algorithm);
        validation.validate_nbf = true;
        Self { key, validation }
    }

    /// Tokens have to be of this issuer.
    #[must_use]
    pub fn issuer(mut self, issuer: &str) -> Self {
        self.validation.set_issuer(&[issuer]);
        self.validation.required_spec_claims.insert("iss".to_owned());
        self
    }

    /// Tokens have to be for this audience. Without it, those that name one are refused.
    #[must_use]
    pub fn audience(mut self, audience: &str) -> Self {
        self.validation.set_audience(&[audience]);
        self.validation.required_spec_claims.insert("aud".to_owned());
        self
    }
}

fn wrong(error: impl fmt::Display) -> Error {
    Error::TokenKey(error.to_string())
}

/// Keys are never shown.
impl fmt::Debug for JwtKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let algorithms = &self.validation.algorithms;
        write!(f, "JwtKey({algorithms:?})")
    }
}

/// A key by a claim of a verified token: see [`jwt_claim`].
///
/// ```
/// use tollgate_tower::{JwtClaim, JwtKey, jwt_claim};
///
/// let key = JwtKey::hs256(b"a secret of at least thirty-two bytes")?;
/// let claim: JwtClaim = jwt_claim("sub", key);
/// assert!(!format!("{claim:?}").contains("secret"));
/// # Ok::<(), tollgate_tower::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct JwtClaim {
    name: Arc<str>,
    key: Arc<JwtKey>,
}

impl Key for JwtClaim {
    fn read<'r>(&'r self, head: &RequestHead<'r>, facts: &mut Facts<'r>) {
        facts.add(&Role::User, self.claim(head).map(Cow::Owned));
    }
}

impl JwtClaim {
    fn claim(&self, head: &RequestHead<'_>) -> Option<String> {
        let token = shown_token(head).filter(|token| token.len() <= TOKEN_BYTES_MAX)?;
        let JwtKey { key, validation } = &*self.key;
        let token = decode::<Claims>(token, key, validation).ok()?;
        let header = &token.header;
        // Whoever does not understand what is critical must not go on.
        if header.crit.is_some() || header.enc.is_some() || header.zip.is_some() {
            return None;
        }
        token.claims.get(&self.name)?.as_str().map(str::to_owned)
    }
}
