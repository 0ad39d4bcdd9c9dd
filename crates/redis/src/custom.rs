//! Algorithms that users brought. Redis keeps their states; which algorithm wrote one, only this process knows.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use tollgate_core::{Algorithm, CustomState, Law};

/// Algorithms that are remembered; beyond that, counters of the others begin anew when theirs changes.
const KNOWN_MAX: usize = 1_024;

type Known = HashMap<u64, Arc<dyn Algorithm<State = CustomState>>>;
static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

/// The same for algorithms that describe themselves alike, on every node.
pub(crate) fn fingerprint(law: &Law) -> u64 {
    let Law::Custom(algorithm) = law else {
        return 0;
    };
    let digest = blake3::hash(format!("{algorithm:?}").as_bytes());
    let bytes = digest.as_bytes().first_chunk().copied().unwrap_or_default();
    let fingerprint = u64::from_be_bytes(bytes);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if known.len() < KNOWN_MAX {
        known.entry(fingerprint).or_insert_with(|| Arc::clone(algorithm));
    }
    fingerprint
}

/// The algorithm of a fingerprint, if it was seen.
pub(crate) fn known(fingerprint: u64) -> Option<Law> {
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.get(&fingerprint).map(Arc::clone).map(Law::Custom)
}

/// Whether two algorithms describe themselves alike.
pub(crate) fn is_same(this: &Law, that: &Law) -> bool {
    match (this, that) {
        (Law::Custom(_), Law::Custom(_)) => fingerprint(this) == fingerprint(that),
        _ => false,
    }
}
