//! Verifies tokens.

use std::sync::Arc;

use arc_swap::ArcSwap;
use jsonwebtoken::{
    Algorithm, Validation, decode, decode_header,
    errors::{Error, ErrorKind},
};
use tollgate_core::Timestamp;
use tollgate_wire::claims::Claims;

use super::{
    Facts, JwtKeysError, Keys, TokenFlaw, algorithm::of_library, cache::Cache, claims::Said,
    contents::Contents,
};
use crate::config::Jwt;

/// Verifies tokens with the keys in force. It never waits, and asks nobody.
#[derive(Debug)]
pub(crate) struct Verifier {
    pub(super) jwt: Jwt,
    algorithms: Vec<Algorithm>,
    keys: ArcSwap<InForce>,
    cache: Cache,
}

/// Keys, and how many there were before them.
#[derive(Debug)]
struct InForce {
    keys: Keys,
    generation: u64,
}

impl Verifier {
    /// The longest token.
    pub(crate) const TOKEN_BYTES_MAX: usize = 8 << 10;

    /// With the keys of the files, and what the files hold.
    pub(in crate::identity) fn open(jwt: &Jwt) -> Result<(Self, Contents), JwtKeysError> {
        let contents = Contents::read(jwt)?;
        let keys = Keys::of(&contents, jwt)?;
        let algorithms = jwt.algorithms.iter().copied().map(of_library).collect();
        let keys = InForce {
            keys,
            generation: 0,
        };
        let verifier = Self {
            jwt: jwt.clone(),
            algorithms,
            keys: ArcSwap::from_pointee(keys),
            cache: Cache::new(),
        };
        Ok((verifier, contents))
    }

    /// Puts other keys in force. What was verified with the former is verified again.
    pub(super) fn renew(&self, keys: Keys) {
        let generation = self.keys.load().generation + 1;
        self.keys.store(Arc::new(InForce { keys, generation }));
    }

    /// What a token says, if it is sound, signed with one of the keys, and valid now.
    pub(crate) fn verify(&self, token: &str, now: Timestamp) -> Result<Arc<Facts>, TokenFlaw> {
        if token.len() > Self::TOKEN_BYTES_MAX {
            return Err(TokenFlaw::TooLarge);
        }
        let in_force = self.keys.load();
        let generation = in_force.generation;
        if let Some(facts) = self.cache.find(token, generation) {
            facts.holds(now, self.jwt.leeway)?;
            return Ok(facts);
        }
        let facts = Arc::new(self.read(token, &in_force.keys)?);
        facts.holds(now, self.jwt.leeway)?;
        self.cache.keep(token, generation, &facts);
        Ok(facts)
    }

    fn read(&self, token: &str, keys: &Keys) -> Result<Facts, TokenFlaw> {
        let header = decode_header(token).map_err(|error| match error.kind() {
            // The only part of a header that must be there, and be one of few words.
            ErrorKind::Json(error) if error.is_data() => TokenFlaw::Algorithm,
            _ => TokenFlaw::Malformed,
        })?;
        if !self.algorithms.contains(&header.alg) {
            return Err(TokenFlaw::Algorithm);
        }
        // Whoever does not understand what is critical must not go on.
        if header.crit.is_some() || header.enc.is_some() || header.zip.is_some() {
            return Err(TokenFlaw::Malformed);
        }
        let key = keys.find(&header)?;
        let decoded = decode::<Claims>(token, key, &signature_only(header.alg));
        let decoded = decoded.map_err(|error| flaw(&error))?;
        Said(&decoded.claims).facts(&self.jwt)
    }
}

/// Claims are checked here: by our clock, and more strictly.
fn signature_only(algorithm: Algorithm) -> Validation {
    let mut validation = Validation::new(algorithm);
    validation.required_spec_claims.clear();
    validation.validate_exp = false;
    validation.validate_nbf = false;
    validation.validate_aud = false;
    validation
}

fn flaw(error: &Error) -> TokenFlaw {
    match error.kind() {
        ErrorKind::InvalidToken | ErrorKind::Base64(_) | ErrorKind::Utf8(_) => TokenFlaw::Malformed,
        ErrorKind::InvalidAlgorithm | ErrorKind::InvalidAlgorithmName => TokenFlaw::Algorithm,
        ErrorKind::Json(_) => TokenFlaw::Claims,
        _ => TokenFlaw::Signature,
    }
}
