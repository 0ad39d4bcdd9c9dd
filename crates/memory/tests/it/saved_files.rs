//! Files that are not whole, not ours, or not true are refused by name; nothing panics.
// Proves: C1

use std::{
    error::Error,
    hash::Hasher,
    io::{self, Read, Write},
};

use siphasher::sip::SipHasher13;
use tollgate_core::{Clock, Limit, ManualClock, Micros};
use tollgate_memory::{LoadError, MemoryStore};
use tollgate_testkit::limit;

use crate::common::{every_algorithm, passes, take};

fn limits() -> Vec<Limit> {
    let mut limits = every_algorithm(10, "day").to_vec();
    limits.extend(["9973/week burst 10", "99999999999999999/month"].map(limit));
    limits
}

/// A file with a counter of each kind, the logs with two admissions.
fn file() -> Vec<u8> {
    let clock = ManualClock::start();
    let store = MemoryStore::with_capacity(100, clock.clone());
    for limit in limits() {
        for _ in 0..2 {
            clock.advance(Micros::from_secs(1));
            let name = limit.to_string() + limit.algorithm().as_str();
            assert!(take(&store, name.as_bytes(), &limit, 3).is_allowed());
        }
    }
    let mut file = Vec::new();
    assert_eq!(store.save(&mut file).ok(), Some(limits().len()));
    file
}

fn load(file: &[u8]) -> Result<MemoryStore<ManualClock>, LoadError> {
    MemoryStore::load(file, 100, ManualClock::start())
}

#[test]
fn every_damaged_byte_is_noticed() {
    let good = file();
    assert!(load(&good).is_ok());
    for place in 0..good.len() {
        for damage in [1, 0x10, 0x80, 0xff] {
            let mut bad = good.clone();
            bad[place] ^= damage;
            let error = load(&bad).unwrap_err();
            let is_named = match place {
                0..8 => matches!(error, LoadError::NotOurs),
                8..16 => matches!(error, LoadError::Version { ours: 2, .. }),
                _ => matches!(error, LoadError::Damaged(_)),
            };
            assert!(is_named, "byte {place}: {error}");
        }
    }
}

#[test]
fn every_shorter_and_longer_file_is_noticed() {
    let good = file();
    for length in 0..good.len() {
        let error = load(&good[..length]).unwrap_err();
        let is_named = match length {
            0..8 => matches!(error, LoadError::NotOurs),
            _ => matches!(error, LoadError::Damaged(_)),
        };
        assert!(is_named, "{length} bytes: {error}");
    }
    for more in 1..20 {
        let longer = [&good[..], &vec![0; more]].concat();
        assert!(matches!(load(&longer), Err(LoadError::Damaged(_))), "{more} more");
    }
    let twice = [&good[..], &good].concat();
    assert!(matches!(load(&twice), Err(LoadError::Damaged(_))));
}

#[test]
fn words_in_another_order_are_noticed() {
    let good = file();
    for word in 2..good.len() / 8 - 1 {
        let mut bad = good.clone();
        let (first, second) = bad[word * 8..word * 8 + 16].split_at_mut(8);
        first.swap_with_slice(second);
        assert!(bad == good || load(&bad).is_err(), "word {word}");
    }
}

#[test]
fn a_later_version_is_named() {
    let mut file = file();
    file[8] = 3;
    let error = load(&file).unwrap_err();
    let text = "saved counters are of version 3, this release reads version 2";
    assert_eq!(error.to_string(), text);
}

#[test]
fn what_the_reader_says_is_passed_on() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("no disk"))
        }
    }
    let error = MemoryStore::load(Broken, 100, ManualClock::start()).unwrap_err();
    assert!(matches!(error, LoadError::Io(_)));
    assert_eq!(error.source().unwrap().to_string(), "no disk");
}

#[test]
fn what_the_writer_says_is_passed_on() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let store = MemoryStore::with_capacity(100, ManualClock::start());
    let error = store.save(&mut Full).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
}

/// The checksum guards against accidents only: with a right one any word may hold anything. It is
/// refused or read, and a store that read it answers.
#[test]
fn lies_with_a_right_checksum_never_panic() {
    let good = file();
    let words: Vec<u64> = words(&good);
    let limits = limits();
    let mut read = 0;
    for place in 2..words.len() - 1 {
        let old = words[place];
        for lie in [0, 1, 2, 6, 1 << 53, 1 << 60, 1 << 63, u64::MAX, !old, old + 1, old - (old & 1)]
        {
            let mut words = words.clone();
            words[place] = lie;
            let Ok(store) = load(&signed(&mut words)) else {
                continue;
            };
            read += 1;
            for limit in &limits {
                let name = limit.to_string() + limit.algorithm().as_str();
                passes(&store, name.as_bytes(), limit);
            }
            store.save(&mut Vec::new()).unwrap();
        }
    }
    assert!(read > 100, "many lies go unnoticed: {read}");
}

/// The same counters once more: each counts once.
#[test]
fn a_counter_written_twice_counts_once() {
    let limit = limit("10/day");
    let clock = ManualClock::start();
    let store = MemoryStore::with_capacity(100, clock.clone());
    assert!(take(&store, b"user:42", &limit, 4).is_allowed());
    let mut file = Vec::new();
    store.save(&mut file).unwrap();
    let mut words = words(&file);
    // Before the sketches, of which there are none.
    let counter = words[7..words.len() - 3].to_vec();
    words.splice(7..7, counter);
    let copy = MemoryStore::load(&*signed(&mut words), 100, clock.clone()).unwrap();
    assert_eq!(take(&copy, b"user:42", &limit, 0).remaining(), 6);
    assert!(take(&copy, b"user:42", &limit, 6).is_allowed());
    assert!(!passes(&copy, b"user:42", &limit), "at {:?}", clock.now());
}

/// As releases before sketches wrote it: the counter's rule and period were not known, and no sketches
/// followed.
#[test]
fn a_file_of_version_1_is_read() {
    let limit = limit("10/day");
    let clock = ManualClock::start();
    let store = MemoryStore::with_capacity(100, clock.clone());
    assert!(take(&store, b"user:42", &limit, 4).is_allowed());
    let mut file = Vec::new();
    store.save(&mut file).unwrap();
    let mut words = words(&file);
    words[1] = 1;
    words.drain(words.len() - 3..words.len() - 1);
    words.drain(8..11);
    let copy = MemoryStore::load(&*signed(&mut words), 100, clock).unwrap();
    assert_eq!(take(&copy, b"user:42", &limit, 0).remaining(), 6);
    // Nor is it forgotten when others need its place.
    for number in 0..5_000_u64 {
        take(&copy, &number.to_be_bytes(), &limit, 1);
    }
    assert_eq!(take(&copy, b"user:42", &limit, 0).remaining(), 6);
}

fn words(file: &[u8]) -> Vec<u64> {
    let words = file.as_chunks().0.iter();
    words.map(|word| u64::from_le_bytes(*word)).collect()
}

/// The words with the checksum that goes with them, as bytes.
fn signed(words: &mut Vec<u64>) -> Vec<u8> {
    words.pop();
    let magic = u64::from_le_bytes(*b"TOLLGATE");
    let mut checksum = SipHasher13::new_with_keys(magic, words[1]);
    for word in &*words {
        checksum.write_u64(*word);
    }
    words.push(checksum.finish());
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
