//! Keys that were chosen to fall together do not: each store hashes with secrets of its own.
// Proves: C1

use std::hash::Hasher;

use siphasher::sip::{SipHasher13, SipHasher24};
use tollgate_core::{Limit, ManualClock};
use tollgate_memory::MemoryStore;
use tollgate_testkit::limit;

use crate::common::{left, passes, take};

/// Half of it is used up by one request, so a key for which there is no room is noticed.
fn narrow() -> Limit {
    limit("2/h")
}

/// As many keys as the store has room for: each has a counter of its own, all but a few in ten thousand
/// in a slot. Random keys do no better.
fn all_find_room(keys: usize, key: impl Fn(usize) -> Vec<u8>, what: &str) {
    let store = MemoryStore::with_capacity(keys, ManualClock::start());
    let limit = narrow();
    let served = (0..keys).filter(|number| passes(&store, &key(*number), &limit));
    assert_eq!(served.count(), keys, "{what}");
    let stats = store.stats();
    let counters = stats.keys + stats.wide_keys;
    assert_eq!(usize::try_from(counters), Ok(keys), "{what}: {stats:?}");
    assert!(stats.wide_keys <= 2 + stats.keys / 1_000, "{what}: {stats:?}");
    assert_eq!(stats.evicted_keys, 0, "{what}: {stats:?}");
}

#[test]
fn a_million_keys_in_sequence_spread() {
    all_find_room(1_000_000, |key| format!("user:{key}").into(), "sequence");
}

#[test]
fn keys_of_any_structure_spread() {
    const KEYS: usize = 200_000;
    let bytes = |key: usize| key.to_le_bytes().to_vec();
    all_find_room(KEYS, |key| (key << 40).to_be_bytes().to_vec(), "high bits");
    all_find_room(KEYS, |key| bytes(key.reverse_bits()), "reversed");
    all_find_room(KEYS, |key| bytes(key * 65_536), "strides of a power of two");
    let after_prefix = |key| [&[b'x'; 120][..], &bytes(key)].concat();
    all_find_room(KEYS, after_prefix, "the end of a long prefix");
    let before_suffix = |key| [&bytes(key)[..], &[0; 64]].concat();
    all_find_room(KEYS, before_suffix, "the start of a long suffix");
    all_find_room(1_024, |key| vec![0; key], "nothing but length");
    let one_bit = |key: usize| {
        let mut bytes = vec![0; 512];
        bytes[key / 8] = 1 << (key % 8);
        bytes
    };
    all_find_room(4_096, one_bit, "one bit");
}

/// An attacker who knows the code but not the secrets: keys whose hashes agree in the bits that
/// choose a line would all want the same 64th of the table.
#[test]
fn keys_that_collide_without_the_secrets_spread() {
    const KEYS: usize = 20_000;
    let hashes: [(Hash, &str); 4] = [
        (|key| SipHasher13::new_with_keys(0, 0).hash(key), "SipHash-1-3"),
        (|key| SipHasher24::new_with_keys(0, 0).hash(key), "SipHash-2-4"),
        (|key| SipHasher13::new_with_keys(0, 0).hash(key) << 48, "the lower bits"),
        (fnv, "FNV-1a"),
    ];
    for (hash, what) in hashes {
        let crafted: Vec<Vec<u8>> = (0_u64..)
            .map(|number| format!("crafted:{number}").into_bytes())
            .filter(|key| hash(key) >> 58 == 0)
            .take(KEYS)
            .collect();
        all_find_room(KEYS, |key| crafted[key].clone(), what);
    }
}

type Hash = fn(&[u8]) -> u64;

fn fnv(key: &[u8]) -> u64 {
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    hasher.write(key);
    hasher.finish()
}

struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Which of too many keys are left tells where they fell.
#[test]
fn no_two_stores_place_keys_alike() {
    let limit = limit("100/h");
    // Those who fall together with others in the sketches.
    let together = || -> Vec<u64> {
        let store = MemoryStore::with_bounds(1_000, 0, ManualClock::start());
        for key in 0..6_000_u64 {
            take(&store, &key.to_be_bytes(), &limit, 1);
        }
        (0..6_000_u64).filter(|key| left(&store, &key.to_be_bytes(), &limit) < 99).collect()
    };
    let all: Vec<Vec<u64>> = (0..4).map(|_| together()).collect();
    for (place, one) in all.iter().enumerate() {
        assert!(!one.is_empty(), "the sketches are full");
        assert!(all[..place].iter().all(|other| other != one));
    }
}

/// The four words after magic and version of a saved store.
#[test]
fn no_two_stores_have_a_secret_in_common() {
    let mut secrets: Vec<u64> = (0..16)
        .flat_map(|_| {
            let store = MemoryStore::with_capacity(1, ManualClock::start());
            let mut file = Vec::new();
            store.save(&mut file).unwrap();
            let words = file[16..48].as_chunks::<8>().0.to_vec();
            words.into_iter().map(u64::from_le_bytes)
        })
        .collect();
    assert_eq!(secrets.len(), 64);
    secrets.sort_unstable();
    secrets.dedup();
    assert_eq!(secrets.len(), 64);
}
