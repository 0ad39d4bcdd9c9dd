//! The keys that tokens are verified with.

use std::path::Path;

use jsonwebtoken::{
    Algorithm, AlgorithmFamily, DecodingKey, Header,
    jwk::{AlgorithmParameters, Jwk, JwkSet, PublicKeyUse},
};

use super::{
    JwtKeysError, TokenFlaw,
    claims::{Contents, KeysFlaw},
    verifier::of_library,
};
use crate::config::{Jwt, JwtSecret, Settings};

/// The keys in force.
#[derive(Debug)]
pub(crate) struct Keys {
    secret: Option<DecodingKey>,
    public: Option<DecodingKey>,
    named: Option<Vec<Named>>,
}

/// A key of a JWKS.
#[derive(Debug)]
struct Named {
    name: Option<String>,
    /// The only algorithm that it is for, if it says so.
    algorithm: Option<Algorithm>,
    key: DecodingKey,
}

/// The most keys of a JWKS; whoever rotates has two or three.
const NAMED_MAX: usize = 64;

impl Keys {
    /// Reads the files as a server that starts does.
    pub(crate) fn rehearse(jwt: &Jwt) -> Result<(), JwtKeysError> {
        Self::of(&Contents::read(jwt)?, jwt).map(drop)
    }

    /// What the files hold, understood.
    pub(super) fn of(contents: &Contents, jwt: &Jwt) -> Result<Self, JwtKeysError> {
        let families: Vec<AlgorithmFamily> =
            jwt.algorithms.iter().map(|algorithm| of_library(*algorithm).family()).collect();
        let path = match &jwt.secret {
            Some(JwtSecret::File(path)) => path,
            _ => Path::new("TOLLGATE_JWT_SECRET"),
        };
        let secret = contents.secret.as_deref().map(secret).transpose();
        let secret = secret.map_err(|flaw| flaw.at(path, "jwt_secret_file"))?;
        let path = jwt.key_file.as_deref().unwrap_or(Path::new(""));
        let public = contents.key.as_deref().map(|pem| public(pem, &families));
        let public = public.transpose();
        let public = public.map_err(|flaw| flaw.at(path, "jwt_key_file"))?;
        let path = jwt.jwks_file.as_deref().unwrap_or(Path::new(""));
        let named = contents.jwks.as_deref().map(|jwks| named(jwks, &families));
        let named = named.transpose();
        let named = named.map_err(|flaw| flaw.at(path, "jwt_jwks_file"))?;
        Ok(Self { secret, public, named })
    }

    /// The one key that a token with this header can be signed with. A secret is for those algorithms
    /// that need one, and nothing else ever is.
    pub(super) fn find(&self, header: &Header) -> Result<&DecodingKey, TokenFlaw> {
        let family = header.alg.family();
        if family == AlgorithmFamily::Hmac {
            return self.secret.as_ref().ok_or(TokenFlaw::Algorithm);
        }
        let public = self.public.as_ref();
        let public = public.filter(|key| key.family() == family);
        let fits = |named: &&Named| {
            let is_for = named.algorithm.is_none_or(|only| only == header.alg);
            is_for && named.key.family() == family
        };
        let Some(all) = &self.named else {
            return public.ok_or(TokenFlaw::Algorithm);
        };
        if let Some(name) = &header.kid {
            let mut found = all.iter().filter(|named| named.name.as_ref() == Some(name));
            let found = found.next().ok_or(TokenFlaw::UnknownKey)?;
            let found = Some(found).filter(fits).ok_or(TokenFlaw::Algorithm)?;
            return Ok(&found.key);
        }
        let mut fitting = all.iter().filter(fits).map(|named| &named.key).chain(public);
        match (fitting.next(), fitting.next()) {
            (Some(only), None) => Ok(only),
            _ => Err(TokenFlaw::UnknownKey),
        }
    }
}

fn secret(bytes: &[u8]) -> Result<DecodingKey, KeysFlaw> {
    let least = Settings::KEY_SECRET_CHARS_MIN;
    if bytes.starts_with(b"-----BEGIN") {
        return Err(KeysFlaw::NoSecret);
    }
    if bytes.len() < least {
        return Err(KeysFlaw::Short(least));
    }
    Ok(DecodingKey::from_secret(bytes))
}

fn public(pem: &[u8], families: &[AlgorithmFamily]) -> Result<DecodingKey, KeysFlaw> {
    let text = str::from_utf8(pem).map_err(|_| KeysFlaw::NoKey)?;
    if text.contains("PRIVATE KEY") {
        return Err(KeysFlaw::Private);
    }
    if text.matches("-----BEGIN").count() != 1 {
        return Err(KeysFlaw::NoKey);
    }
    let kinds = [DecodingKey::from_rsa_pem, DecodingKey::from_ec_pem, DecodingKey::from_ed_pem];
    let key = kinds.iter().find_map(|read| read(pem).ok());
    let key = key.ok_or(KeysFlaw::NoKey)?;
    if !families.contains(&key.family()) {
        return Err(KeysFlaw::Unused);
    }
    Ok(key)
}

fn named(jwks: &[u8], families: &[AlgorithmFamily]) -> Result<Vec<Named>, KeysFlaw> {
    let set: JwkSet =
        serde_json::from_slice(jwks).map_err(|error| KeysFlaw::NoJwks(error.to_string()))?;
    if set.keys.len() > NAMED_MAX {
        return Err(KeysFlaw::TooMany(NAMED_MAX));
    }
    let all: Vec<Named> = set.keys.iter().filter_map(of_jwk).collect();
    let all: Vec<Named> =
        all.into_iter().filter(|named| families.contains(&named.key.family())).collect();
    // An empty set is meant: whoever is not to be believed any more is taken out, and no token is.
    if all.is_empty() && !set.keys.is_empty() {
        return Err(KeysFlaw::NoUsable);
    }
    for (place, one) in all.iter().enumerate() {
        let mut before = all.iter().take(place);
        if one.name.is_some() && before.any(|other| other.name == one.name) {
            return Err(KeysFlaw::SameName);
        }
    }
    Ok(all)
}

/// A key that signatures can be verified with; others may stand beside it. A secret is never taken from
/// a file that is made to be shown.
fn of_jwk(jwk: &Jwk) -> Option<Named> {
    let common = &jwk.common;
    let is_for_signatures =
        !matches!(common.public_key_use, Some(PublicKeyUse::Encryption | PublicKeyUse::Other(_)));
    let is_public = matches!(
        jwk.algorithm,
        AlgorithmParameters::RSA(_)
            | AlgorithmParameters::EllipticCurve(_)
            | AlgorithmParameters::OctetKeyPair(_)
    );
    if !is_for_signatures || !is_public {
        return None;
    }
    let algorithm = match &common.key_algorithm {
        None => None,
        // One that is not known here is never used.
        Some(only) => Some(only.to_string().parse().ok()?),
    };
    Some(Named { name: common.key_id.clone(), algorithm, key: DecodingKey::from_jwk(jwk).ok()? })
}
