//! A flood of keys: memory stays within its bound, what is exhausted stays so, newcomers are served.
// Proves: C1

use std::fs;

use tollgate_core::{Limit, ManualClock, Micros};
use tollgate_memory::{MemoryStore, Stats};
use tollgate_testkit::{limit, ran_alone};

use crate::common::{every_algorithm, passes, take};

const KEYS: usize = 10_000;
/// Shards of the side table for this many keys, and counters that each holds.
const SHARDS: usize = 256;
const SHARD_COUNTERS: usize = 16;
/// More than a counter beside the table takes with its limit and state.
const BESIDE_BYTES: usize = 256;
/// Admissions that all sliding logs of a store of this size remember.
const LOG_ENTRIES: usize = 64_000;
/// Two words for each of them, and as much in spare capacity.
const LOG_BYTES: usize = 32;
/// What the allocator and the test itself may take.
const SLACK_BYTES: usize = 2 << 20;
/// A flood takes a million ticks, a second: nobody gains a unit meanwhile.
const TICK: Micros = Micros::new(1);

/// Limits that a word cannot hold: an odd rate, large amounts.
fn wide_limits() -> [Limit; 2] {
    ["999/h burst 999", "18446744073709551615/h fixed_window"].map(limit)
}

#[test]
fn a_million_keys_find_room_and_nobody_is_forgotten() {
    // It measures the memory of its whole process.
    if ran_alone(module_path!(), "a_million_keys_find_room_and_nobody_is_forgotten") {
        return;
    }
    // A million for each way of keeping a counter: in a slot, beside the table, as a log.
    let [token, leaky, fixed, sliding, log] = every_algorithm(100, "h");
    let [rate, amount] = wide_limits();
    Flood::of(&sliding).strangers(1_000_000);
    Flood::of(&rate).strangers(1_000_000);
    Flood::of(&log).strangers(1_000_000);
    for limit in [token, leaky, fixed, amount] {
        Flood::of(&limit).strangers(100_000);
    }
    long_logs_stay_within_the_bound();
}

/// More than half a million admissions to remember, of which there is room for 64,000.
fn long_logs_stay_within_the_bound() {
    let limit = limit("1000/h sliding_log");
    let resident_before = resident_bytes();
    let clock = ManualClock::start();
    let store = MemoryStore::with_capacity(KEYS, clock.clone());
    for _ in 0..900 {
        clock.advance(TICK);
        let passed = (0..600).filter(|number| passes(&store, &stranger(*number), &limit));
        assert_eq!(passed.count(), 600);
    }
    let grown = resident_bytes().saturating_sub(resident_before);
    assert!(grown <= bytes_max(&store.stats()), "{grown} bytes");
}

#[test]
#[ignore = "soak: run by cargo xtask soak"]
fn soak_ten_million_keys_by_every_algorithm() {
    // As above.
    if ran_alone(module_path!(), "soak_ten_million_keys_by_every_algorithm") {
        return;
    }
    for limit in every_algorithm(100, "h").iter().chain(&wide_limits()) {
        Flood::of(limit).strangers(10_000_000);
    }
}

struct Flood<'a> {
    clock: ManualClock,
    store: MemoryStore<ManualClock>,
    limit: &'a Limit,
    resident_before: usize,
}

impl<'a> Flood<'a> {
    /// A hundred keys that have used all of their limit, and a hundred that have used half.
    fn of(limit: &'a Limit) -> Self {
        let resident_before = resident_bytes();
        let clock = ManualClock::start();
        let store = MemoryStore::with_capacity(KEYS, clock.clone());
        for number in 0..100 {
            let all = take(&store, &spent(number), limit, limit.capacity());
            let half = take(&store, &half_spent(number), limit, limit.capacity().div_ceil(2));
            assert!(all.is_allowed() && half.is_allowed());
        }
        Self { clock, store, limit, resident_before }
    }

    fn strangers(&self, count: u64) {
        let mut served = 0;
        let strangers_per_tick = count.div_ceil(1_000_000);
        for number in 0..count {
            if number % strangers_per_tick == 0 {
                self.clock.advance(TICK);
            }
            served += u64::from(passes(&self.store, &stranger(number), self.limit));
            if number % 100 == 0 {
                let key = spent(number / 100 % 100);
                let is_spent = !passes(&self.store, &key, self.limit);
                assert!(is_spent, "{:?} after {number}", self.limit);
            }
        }
        assert!(served >= count / 100 * 95, "{:?}: {served} of {count}", self.limit);
        for number in 0..100 {
            assert!(!passes(&self.store, &spent(number), self.limit));
            let half = take(&self.store, &half_spent(number), self.limit, 0);
            assert_eq!(half.remaining(), self.limit.capacity() / 2, "{:?}", self.limit);
        }
        self.check(count);
    }

    fn check(&self, strangers: u64) {
        let stats = self.store.stats();
        let Stats { keys, capacity, .. } = stats;
        assert!(keys <= capacity && keys + stats.wide_keys > 1_000, "{stats:?}");
        // Each of them had passed once, and every one that is no longer there was evicted.
        let there = keys + stats.wide_keys;
        assert!(stats.evicted_keys + there >= strangers, "{stats:?}");
        let grown = resident_bytes().saturating_sub(self.resident_before);
        assert!(grown <= bytes_max(&stats), "{:?}: {grown} bytes", self.limit);
    }
}

/// The table, the side table, the sketches, the logs.
fn bytes_max(stats: &Stats) -> usize {
    let table = usize::try_from(stats.bytes_max + stats.overflow_bytes_max).unwrap_or(0);
    table + SHARDS * SHARD_COUNTERS * BESIDE_BYTES + LOG_ENTRIES * LOG_BYTES + SLACK_BYTES
}

#[expect(clippy::expect_used, reason = "to panic is how a failed test speaks")]
fn resident_bytes() -> usize {
    const PAGE_BYTES: usize = 4_096;
    let sizes = fs::read_to_string("/proc/self/statm").expect("this is Linux");
    let pages = sizes.split(' ').nth(1).expect("the resident set");
    pages.parse::<usize>().expect("a number of pages") * PAGE_BYTES
}

fn spent(number: u64) -> Vec<u8> {
    format!("spent:{number}").into_bytes()
}

fn half_spent(number: u64) -> Vec<u8> {
    format!("half:{number}").into_bytes()
}

fn stranger(number: u64) -> [u8; 8] {
    number.to_be_bytes()
}
