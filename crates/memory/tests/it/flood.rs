//! More keys than there is room for: the bound lets nothing through.
// Proves: C1, D3

use std::{
    collections::HashMap,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    thread,
};

use tollgate_core::{Charge, Cost, CounterKey, ImmediateStore, Limit, ManualClock, Micros, RuleId};
use tollgate_memory::MemoryStore;
use tollgate_testkit::{Rng, limit};

use crate::common::{charge, every_algorithm, passes, take};

const HOUR: Micros = Micros::from_secs(3_600);

fn store(keys: usize) -> (MemoryStore<ManualClock>, ManualClock) {
    let clock = ManualClock::start();
    (MemoryStore::with_capacity(keys, clock.clone()), clock)
}

/// By every algorithm, and by those whose states fit no word.
fn limits(amount: u64) -> Vec<Limit> {
    let mut limits = every_algorithm(amount, "h").to_vec();
    limits.push(limit(&format!("997/h burst {amount}")));
    limits.push(limit(&format!("997/h leaky_bucket burst {}", amount - 1)));
    limits
}

#[test]
fn nothing_passes_beyond_the_limits() {
    const AMOUNT: u64 = 20;
    for limit in limits(AMOUNT) {
        let (store, _clock) = store(1_000);
        let mut rng = Rng::new(11);
        let mut admitted: HashMap<u64, u64> = HashMap::new();
        for _ in 0..150_000 {
            // Some come often, most come seldom.
            let range = rng.pick(&[100, 2_000, 8_000]);
            let (key, cost) = (rng.below(range), 1 + rng.below(3));
            if take(&store, &key.to_be_bytes(), &limit, cost).is_allowed() {
                *admitted.entry(key).or_default() += cost;
            }
        }
        let beyond: u64 = admitted.values().map(|admitted| admitted.saturating_sub(AMOUNT)).sum();
        let stats = store.stats();
        assert_eq!(beyond, 0, "{limit:?}: {stats:?}");
        assert!(stats.evicted_keys > 0, "{limit:?}: the bound was felt");
    }
}

/// Eight rules, so that the sketches share their room too.
#[test]
fn nothing_passes_beyond_the_limits_of_several_rules_at_once() {
    const AMOUNT: u64 = 10;
    const KEYS: usize = 4_096;
    let limits = limits(AMOUNT);
    let (store, _clock) = store(500);
    let admitted: Vec<AtomicU64> = (0..8 * KEYS).map(|_| AtomicU64::new(0)).collect();
    let run = |seed: u64| {
        let mut rng = Rng::new(seed);
        for _ in 0..60_000 {
            let (rule, key) = (rng.index(8), rng.index(KEYS));
            let (bytes, cost) = (key.to_be_bytes(), 1 + rng.below(4));
            let number = RuleId::new(u128::try_from(rule).unwrap());
            let limit = &limits[rule % limits.len()];
            let charge = Charge::new(CounterKey::new(number, &bytes), limit, Cost::new(cost));
            if store.charge_now(&[charge]).is_allowed() {
                admitted[rule * KEYS + key].fetch_add(cost, Relaxed);
            }
        }
    };
    thread::scope(|scope| {
        for seed in 0..4 {
            let run = &run;
            scope.spawn(move || run(seed));
        }
    });
    let beyond: u64 =
        admitted.iter().map(|admitted| admitted.load(Relaxed).saturating_sub(AMOUNT)).sum();
    let stats = store.stats();
    assert_eq!(beyond, 0, "{stats:?}");
    assert!(stats.estimated_requests > 0, "{stats:?}");
}

/// An attacker who spends the whole limit of each key takes the room, but not the memory of others:
/// nobody who was served once is served again, and when the hour is over everybody is.
#[test]
fn attackers_that_exhaust_their_keys_make_nobody_forgotten() {
    for limit in limits(10) {
        let (store, clock) = store(1_000);
        let spent: Vec<u64> = (0..6_000)
            .filter(|key: &u64| take(&store, &key.to_be_bytes(), &limit, 10).is_allowed())
            .collect();
        let stats = store.stats();
        assert!(spent.len() >= 1_000, "{limit:?}: {stats:?}");
        assert!(stats.evicted_keys > 0, "{limit:?}");
        for key in &spent {
            assert!(!passes(&store, &key.to_be_bytes(), &limit), "{limit:?}");
        }
        clock.advance(Micros::new(2 * HOUR.get()));
        let served = |key: &u64| passes(&store, &key.to_be_bytes(), &limit);
        assert_eq!((0..1_000).filter(served).count(), 1_000, "{limit:?}");
    }
}

/// A key that its limit's lowering has exhausted is as safe as one that exhausted itself.
#[test]
fn a_key_beyond_its_lowered_limit_is_not_forgotten_for_a_new_one() {
    let same_rate = |burst| limit(&format!("60/h burst {burst}"));
    let raised = limits(100).into_iter().chain([same_rate(100)]);
    let lowered = limits(10).into_iter().chain([same_rate(10)]);
    for (before, after) in raised.zip(lowered) {
        let (store, _clock) = store(1_000);
        let keys: Vec<Vec<u8>> = (0..50).map(|key| format!("old:{key}").into()).collect();
        for key in &keys {
            assert!(take(&store, key, &before, 20).is_allowed());
            assert!(!passes(&store, key, &after));
        }
        for stranger in 0..30_000_u64 {
            passes(&store, &stranger.to_be_bytes(), &after);
        }
        for key in &keys {
            assert!(!passes(&store, key, &after), "{before:?} to {after:?}");
        }
    }
}

/// Little of it was used in this window, but with what is left of the last one it is near its limit.
#[test]
fn a_key_that_its_last_window_fills_is_not_forgotten_for_a_new_one() {
    let limit = limit("100/h sliding_window");
    let (store, clock) = store(1_000);
    let keys: Vec<Vec<u8>> = (0..50).map(|key| format!("old:{key}").into()).collect();
    for key in &keys {
        assert!(take(&store, key, &limit, 100).is_allowed());
    }
    clock.advance(Micros::new(HOUR.get() + HOUR.get() / 5));
    for key in &keys {
        assert_eq!(take(&store, key, &limit, 20).remaining(), 0);
    }
    for stranger in 0..30_000_u64 {
        passes(&store, &stranger.to_be_bytes(), &limit);
    }
    for key in &keys {
        assert!(!passes(&store, key, &limit));
    }
}

/// What has run out makes room before anybody is evicted, and is not counted as evicted.
#[test]
fn what_has_run_out_makes_room_without_a_sweep() {
    for limit in limits(4) {
        let (store, clock) = store(1_000);
        for round in 0..50_u64 {
            for key in 0..100_u64 {
                let key = (round * 1_000 + key).to_be_bytes();
                assert!(take(&store, &key, &limit, 1).is_allowed(), "{limit:?}");
            }
            clock.advance(Micros::new(2 * HOUR.get()));
        }
        let stats = store.stats();
        let sketched = (stats.evicted_keys, stats.overflow_bytes);
        assert_eq!(sketched, (0, 0), "{limit:?}");
        assert!(stats.keys <= stats.capacity, "{limit:?}");
    }
}

/// A request on several limits takes and gives room like several requests.
#[test]
fn requests_on_several_limits_flood_no_further() {
    let (narrow, broad) = (limit("50/h"), limit("40/day sliding_log"));
    let (store, _clock) = store(1_000);
    let spent = [charge(b"spent", &narrow, 40), charge(b"spent", &broad, 40)];
    assert!(store.charge_now(&spent).is_allowed());
    let mut served = 0;
    for stranger in 0..20_000_u64 {
        let key = stranger.to_be_bytes();
        let both = [charge(&key, &narrow, 3), charge(&key, &broad, 3)];
        served += u64::from(store.charge_now(&both).is_allowed());
        if stranger % 50 == 0 {
            assert!(!passes(&store, b"spent", &broad));
            assert_eq!(take(&store, b"spent", &narrow, 0).remaining(), 10);
        }
    }
    assert!(served >= 19_000, "{served} were served");
    assert!(store.stats().evicted_keys > 0);
}

/// A small store remembers 64,000 admissions. Those of logs that have run out make room for others:
/// thirty logs with fifty admissions each are exact.
#[test]
fn logs_that_have_run_out_make_room_for_others() {
    let limit = limit("1000/h sliding_log");
    let (store, clock) = store(2_000);
    let all_take = |keys: std::ops::Range<u64>, cost| {
        let mut keys = keys.map(u64::to_be_bytes);
        keys.all(|key| take(&store, &key, &limit, cost).is_allowed())
    };
    for _ in 0..400 {
        clock.advance(Micros::new(1));
        assert!(all_take(1_000..1_200, 2));
    }
    clock.advance(Micros::new(2 * HOUR.get()));
    for _ in 0..50 {
        clock.advance(Micros::from_secs(60));
        assert!(all_take(0..30, 20));
    }
    clock.advance(Micros::from_secs(11 * 60));
    assert!(all_take(0..30, 20), "the first admission was an hour ago");
}

/// The limit of many keys changes to one that no slot can hold, and there is little room beside the
/// table: what was admitted stays in a sketch.
#[test]
fn keys_that_have_to_leave_their_slots_are_not_forgotten() {
    let (before, after) = (limit("10/h"), limit("10/h sliding_log"));
    let (store, _clock) = store(1_000);
    let mut admitted = [0; 1_400];
    for round in 0..8 {
        for (key, admitted) in admitted.iter_mut().enumerate() {
            // Some leave with nine of ten, some with five.
            let (limit, cost) = match round {
                0 => (&before, if key % 2 == 0 { 9 } else { 5 }),
                _ => (&after, 1),
            };
            let is_allowed = take(&store, &key.to_be_bytes(), limit, cost).is_allowed();
            *admitted += if is_allowed { cost } else { 0 };
        }
    }
    let beyond: u64 = admitted.iter().map(|it| it.saturating_sub(10)).sum();
    let stats = store.stats();
    assert_eq!(beyond, 0, "{stats:?}");
    assert!(stats.estimated_requests > 0, "{stats:?}");
}
