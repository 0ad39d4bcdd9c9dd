//! Verifies tokens.

use std::{
    fmt,
    hash::BuildHasher as _,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use arc_swap::ArcSwap;
use foldhash::quality::RandomState;
use jsonwebtoken::{
    Algorithm, Validation, decode, decode_header,
    errors::{Error, ErrorKind},
};
use tollgate_core::Timestamp;
use tollgate_wire::claims::Claims;

use super::{
    Facts, JwtKeysError, Keys, TokenFlaw,
    claims::{Contents, Said},
};
use crate::config::{Jwt, JwtAlgorithm};

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
        let keys = InForce { keys, generation: 0 };
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

/// A bounded number of tokens with what they say. Only tokens whose signature was right get in, so nobody
/// can push others out without one.
pub(super) struct Cache {
    sets: Box<[Mutex<Set>]>,
    state: RandomState,
}

#[derive(Default)]
struct Set {
    kept: [Option<Kept>; WAYS],
    /// Whose turn it is to make room.
    next: usize,
}

struct Kept {
    token: Box<str>,
    facts: Arc<Facts>,
    /// Of the keys that it was verified with.
    generation: u64,
}

/// How many tokens of one hash are kept.
const WAYS: usize = 4;
const SETS: usize = 8_192;
/// Longer tokens are verified each time: the 32,768 that are kept take 64 MiB at most.
const TOKEN_BYTES_MAX: usize = 2_048;

impl Cache {
    pub(super) fn new() -> Self {
        Self { sets: (0..SETS).map(|_| Mutex::default()).collect(), state: RandomState::default() }
    }

    /// What a token says, if it was verified with these keys.
    pub(super) fn find(&self, token: &str, generation: u64) -> Option<Arc<Facts>> {
        let set = self.set(token)?;
        let mut kept = set.kept.iter().flatten();
        let found = kept.find(|kept| kept.generation == generation && *kept.token == *token);
        found.map(|kept| Arc::clone(&kept.facts))
    }

    /// Keeps a token that was verified.
    pub(super) fn keep(&self, token: &str, generation: u64, facts: &Arc<Facts>) {
        if token.len() > TOKEN_BYTES_MAX {
            return;
        }
        let Some(mut set) = self.set(token) else {
            return;
        };
        let next = set.next;
        set.next = (next + 1) % WAYS;
        if let Some(place) = set.kept.get_mut(next) {
            *place = Some(Kept { token: token.into(), facts: Arc::clone(facts), generation });
        }
    }

    fn set(&self, token: &str) -> Option<MutexGuard<'_, Set>> {
        let hash = usize::try_from(self.state.hash_one(token)).unwrap_or_default();
        let set = self.sets.get(hash % SETS)?;
        Some(set.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Tokens are never shown.
impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cache({} sets)", self.sets.len())
    }
}

/// As the library has it.
pub(super) const fn of_library(algorithm: JwtAlgorithm) -> Algorithm {
    match algorithm {
        JwtAlgorithm::Hs256 => Algorithm::HS256,
        JwtAlgorithm::Hs384 => Algorithm::HS384,
        JwtAlgorithm::Hs512 => Algorithm::HS512,
        JwtAlgorithm::Rs256 => Algorithm::RS256,
        JwtAlgorithm::Rs384 => Algorithm::RS384,
        JwtAlgorithm::Rs512 => Algorithm::RS512,
        JwtAlgorithm::Ps256 => Algorithm::PS256,
        JwtAlgorithm::Ps384 => Algorithm::PS384,
        JwtAlgorithm::Ps512 => Algorithm::PS512,
        JwtAlgorithm::Es256 => Algorithm::ES256,
        JwtAlgorithm::Es384 => Algorithm::ES384,
        JwtAlgorithm::EdDsa => Algorithm::EdDSA,
    }
}
