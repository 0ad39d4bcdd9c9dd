//! A million API keys beside the rules.

use std::{hint::black_box, sync::Arc, time::Instant};

use tollgate::{
    Timestamp,
    rules::{ApiKey, Directory, KeyDigest},
};

use crate::{
    bytes::{self, resident_bytes},
    depth::Depth,
    rules::median,
};

/// What many API keys cost; measured in a process of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keys {
    pub(crate) count: usize,
    pub(crate) bytes_each: f64,
    pub(crate) load_ms: f64,
    /// Finding a key by its digest, keys spread out.
    pub(crate) find_ns: f64,
    /// Looking for one that is not there.
    pub(crate) miss_ns: f64,
    /// Putting one revocation in force.
    pub(crate) revoke_us: f64,
}

const BATCH: usize = 10_000;
const FOUND: usize = 10_000;

/// Starts this program again as `grow-keys`.
pub(super) fn run(depth: Depth) -> anyhow::Result<Keys> {
    let count = depth.pick(10_000, 1_000_000);
    let [bytes_each, load_ms, find_ns, miss_ns, revoke_us] =
        bytes::child_numbers(&["grow-keys", &count.to_string()])?;
    Ok(Keys { count, bytes_each, load_ms, find_ns, miss_ns, revoke_us })
}

/// Prints the numbers that [`run`] reads.
pub(crate) fn child(count: usize) -> anyhow::Result<()> {
    let directory = Directory::new();
    let tiers: [Arc<str>; 2] = ["free".into(), "premium".into()];
    let key = |number: usize| {
        let mut key = ApiKey::new(format!("k{number}").into(), digest(number));
        key.user = Some(format!("user-{number}").into());
        key.org = Some(format!("org-{}", number % 1_000).into());
        key.tier = Some(Arc::clone(&tiers[number % tiers.len()]));
        key
    };
    let before = resident_bytes()?;
    let start = Instant::now();
    for first in (0..count).step_by(BATCH) {
        directory.put_keys((first..count.min(first + BATCH)).map(key));
    }
    let load_ms = start.elapsed().as_secs_f64() * 1e3;
    let bytes_each = (resident_bytes()? - before) as f64 / count as f64;
    let there: Vec<KeyDigest> = (0..FOUND).map(|number| digest(number * 7_919 % count)).collect();
    let elsewhere: Vec<KeyDigest> = (0..FOUND).map(|number| digest(count + number)).collect();
    let find_ns = find_time(&directory, &there);
    let miss_ns = find_time(&directory, &elsewhere);
    let mut times = Vec::new();
    for number in (0..count).step_by((count / 200).max(1)) {
        let mut revoked = key(number);
        revoked.revoked_at = Some(Timestamp::EPOCH);
        let start = Instant::now();
        directory.put_keys([revoked]);
        times.push(start.elapsed().as_secs_f64() * 1e6);
    }
    let revoke_us = median(&mut times);
    println!("{bytes_each} {load_ms} {find_ns} {miss_ns} {revoke_us}");
    Ok(())
}

fn find_time(directory: &Directory, digests: &[KeyDigest]) -> f64 {
    let mut times = Vec::new();
    for _ in 0..11 {
        let start = Instant::now();
        for digest in digests {
            black_box(directory.key(digest));
        }
        times.push(start.elapsed().as_secs_f64() * 1e9 / digests.len() as f64);
    }
    median(&mut times)
}

/// As good as random, as a keyed hash is.
pub(super) fn digest(number: usize) -> KeyDigest {
    let mut bytes = [0; 32];
    let mut state = number as u64;
    for part in bytes.chunks_exact_mut(8) {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        part.copy_from_slice(&(mixed ^ (mixed >> 31)).to_le_bytes());
    }
    KeyDigest::new(bytes)
}
