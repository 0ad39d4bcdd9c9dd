//! Counters of long periods outlive a restart, exactly as they were.
// Proves: C1

use std::{
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
};

use tollgate_core::{Clock, ImmediateStore, Limit, ManualClock, Micros, Now, Timestamp};
use tollgate_memory::{MemoryStore, SAVED_PERIOD_MIN};
use tollgate_testkit::{Rng, limit};

use crate::common::{charge, every_algorithm, left, passes, take};

const HOUR: u64 = 3_600_000_000;

type Store = MemoryStore<ManualClock>;

fn store(keys: usize) -> (Store, ManualClock) {
    let clock = ManualClock::start();
    (MemoryStore::with_capacity(keys, clock.clone()), clock)
}

fn saved(store: &Store) -> Vec<u8> {
    let mut file = Vec::new();
    store.save(&mut file).unwrap();
    file
}

/// A process that starts now, whose elapsed time has an origin of its own.
fn restarted(file: &[u8], keys: usize, wall: Timestamp, origin: i64) -> (Store, ManualClock) {
    let clock = ManualClock::start();
    let steady = Timestamp::from_micros(wall.as_micros().saturating_add_signed(origin));
    clock.set(Now { wall, steady });
    (MemoryStore::load(file, keys, clock.clone()).unwrap(), clock)
}

/// By every algorithm, in a slot and beside the table.
fn limits(period: &str) -> Vec<Limit> {
    let mut limits = every_algorithm(10, period).to_vec();
    limits.push(limit(&format!("9973/{period} burst 10")));
    limits.push(limit(&format!("9973/{period} leaky_bucket burst 9")));
    limits.push(limit(&format!("18446744073709551615/{period} fixed_window")));
    limits.push(limit(&format!("18446744073709551615/{period} sliding_window")));
    limits
}

#[test]
fn counters_of_an_hour_and_longer_survive() {
    assert_eq!(SAVED_PERIOD_MIN.to_string(), "h");
    for period in ["h", "90min", "day", "week", "month", "3month"] {
        for limit in limits(period) {
            let (before, clock) = store(1_000);
            assert!(take(&before, b"user:42", &limit, 3).is_allowed());
            let mut file = Vec::new();
            assert_eq!(before.save(&mut file).unwrap(), 1, "{limit:?}");
            let (after, _) = restarted(&file, 1_000, clock.now().wall, 0);
            assert_eq!(left(&after, b"user:42", &limit), limit.capacity() - 3, "{limit:?}");
            assert_eq!(left(&after, b"user:43", &limit), limit.capacity(), "{limit:?}");
        }
    }
}

#[test]
fn counters_of_less_than_an_hour_do_not() {
    for period in ["s", "min", "59min", "3599s", "3599999ms"] {
        for limit in limits(period) {
            let (before, clock) = store(1_000);
            assert!(take(&before, b"user:42", &limit, 3).is_allowed());
            let mut file = Vec::new();
            assert_eq!(before.save(&mut file).unwrap(), 0, "{limit:?}");
            let (after, _) = restarted(&file, 1_000, clock.now().wall, 0);
            assert_eq!(left(&after, b"user:42", &limit), limit.capacity(), "{limit:?}");
        }
    }
}

#[test]
fn an_empty_store_is_saved_and_loaded() {
    let (before, clock) = store(1_000);
    let file = saved(&before);
    let (after, _) = restarted(&file, 1_000, clock.now().wall, 0);
    assert_eq!(after.stats().keys, 0);
    assert!(passes(&after, b"user:42", &limit("1/day")));
    assert_eq!(saved(&MemoryStore::load(&*file, 5, clock).unwrap()), file);
}

#[test]
fn what_ran_out_while_nobody_ran_is_left_behind() {
    for limit in limits("h") {
        let (before, clock) = store(1_000);
        assert!(take(&before, b"user:42", &limit, 3).is_allowed());
        let later = clock.now().wall.saturating_add(Micros::new(2 * HOUR));
        let (after, _) = restarted(&saved(&before), 1_000, later, 0);
        assert_eq!(after.stats().keys + after.stats().wide_keys, 0, "{limit:?}");
        assert_eq!(left(&after, b"user:42", &limit), limit.capacity(), "{limit:?}");
    }
}

/// Both see the same requests at the same time of day; one of them is restarted again and again, with
/// elapsed time beginning anywhere and with time passing while it is down.
#[test]
fn a_restarted_store_answers_like_one_that_never_was() {
    let limits: Vec<Limit> = ["h", "5h", "day", "month"].into_iter().flat_map(limits).collect();
    let (twin, twin_clock) = store(10_000);
    let (mut store, mut clock) = store(10_000);
    let mut rng = Rng::new(5);
    for restart in 0..60 {
        for _ in 0..400 {
            let pause = rng.pick(&[0, 1, HOUR / 60, 3 * HOUR]);
            let pause = Micros::new(rng.below(pause + 1));
            twin_clock.advance(pause);
            clock.advance(pause);
            let (key, limit) = ([u8::try_from(rng.below(4)).unwrap()], rng.pick(&limits));
            let request = [charge(&key, &limit, rng.below(5))];
            let (given, expected) = (store.charge_now(&request), twin.charge_now(&request));
            assert_eq!(given.decisions(), expected.decisions(), "{limit:?}, {restart}");
        }
        let file = saved(&store);
        twin_clock.advance(Micros::new(rng.pick(&[0, 1, HOUR / 2, 30 * HOUR])));
        let days = i64::try_from(rng.below(1_000)).unwrap() - 500;
        let keys = rng.pick(&[2_000, 10_000, 50_000]);
        let origin = days * 24 * i64::try_from(HOUR).unwrap();
        (store, clock) = restarted(&file, keys, twin_clock.now().wall, origin);
    }
}

/// Two thousand keys have used a little, a hundred have used everything.
#[test]
fn a_larger_and_a_smaller_store_take_the_counters_over() {
    for limit in every_algorithm(10, "day") {
        let (before, clock) = store(30_000);
        let key = |number: u64| number.to_be_bytes();
        for number in 0..2_000 {
            let cost = if number % 20 == 0 { 10 } else { 1 };
            assert!(take(&before, &key(number), &limit, cost).is_allowed());
        }
        let file = saved(&before);
        let (larger, _) = restarted(&file, 100_000, clock.now().wall, 0);
        for number in 0..2_000 {
            let same = left(&before, &key(number), &limit);
            assert_eq!(left(&larger, &key(number), &limit), same, "{limit:?}");
        }
        let (smaller, _) = restarted(&file, 800, clock.now().wall, 0);
        for number in (0..2_000).step_by(20) {
            assert!(!passes(&smaller, &key(number), &limit), "{limit:?}");
        }
        assert_eq!(lost(&before, &smaller, &limit), 0, "{limit:?}");
        assert!(smaller.stats().evicted_keys > 0, "{limit:?}");
    }
}

/// How much the second store forgot of the two thousand counters of the first.
fn lost(before: &Store, after: &Store, limit: &Limit) -> u64 {
    let lost = (0..2_000_u64).map(|number| {
        let key = number.to_be_bytes();
        left(after, &key, limit).saturating_sub(left(before, &key, limit))
    });
    lost.sum()
}

/// Too many exhausted keys for the room there is: what finds none goes to the sketches.
#[test]
fn counters_that_find_no_room_are_not_forgotten() {
    for limit in every_algorithm(10, "day") {
        let (before, clock) = store(100_000);
        for number in 0..2_000_u64 {
            assert!(take(&before, &number.to_be_bytes(), &limit, 10).is_allowed());
        }
        let (smaller, _) = restarted(&saved(&before), 100, clock.now().wall, 0);
        assert_eq!(lost(&before, &smaller, &limit), 0, "{limit:?}");
    }
}

/// A store remembers 64,000 admissions at least. Logs for which there was no room take none of them
/// from those that come later, once strangers have taken the places of the others: fifty logs with
/// nine hundred admissions each are all exact.
#[test]
fn loaded_logs_that_found_no_room_are_forgotten_for_good() {
    let limit = limit("1000/h sliding_log");
    let (before, clock) = store(100_000);
    for _ in 0..34 {
        clock.advance(Micros::new(1));
        assert!(all_take(&before, 0..1_900, &limit, 20));
    }
    let (smaller, clock) = restarted(&saved(&before), 2_000, clock.now().wall, 0);
    clock.advance(Micros::new(2 * HOUR));
    all_take(&smaller, 2_000..6_000, &limit, 1);
    clock.advance(Micros::new(2 * HOUR));
    for _ in 0..899 {
        clock.advance(Micros::from_secs(3));
        assert!(all_take(&smaller, 0..50, &limit, 1));
    }
    assert!(all_take(&smaller, 0..50, &limit, 101));
    clock.advance(Micros::from_secs(3_600 - 898 * 3));
    assert!(all_take(&smaller, 0..50, &limit, 1), "the first was an hour ago");
}

fn all_take(store: &Store, keys: std::ops::Range<u64>, limit: &Limit, cost: u64) -> bool {
    let mut keys = keys.map(u64::to_be_bytes);
    keys.all(|key| take(store, &key, limit, cost).is_allowed())
}

/// Tells the other threads to stop, also when an assertion fails.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// Whatever is saved while others charge is a state the counters had meanwhile.
#[test]
fn saving_goes_on_beside_traffic() {
    let limits = limits("day");
    let (store, clock) = store(100_000);
    let is_over = AtomicBool::new(false);
    let key = |place: usize, user: usize| (1_000 * place + user).to_be_bytes();
    let charge_until_it_is_over = |seed| {
        let mut rng = Rng::new(seed);
        while !is_over.load(Relaxed) {
            let (place, user) = (rng.index(limits.len()), rng.index(50));
            take(&store, &key(place, user), &limits[place], 1);
        }
    };
    thread::scope(|scope| {
        let _stop = Stop(&is_over);
        scope.spawn(|| charge_until_it_is_over(1));
        scope.spawn(|| charge_until_it_is_over(2));
        for _ in 0..20 {
            let left_in = |store: &Store| -> Vec<u64> {
                let places = limits.iter().enumerate();
                places.map(|(place, limit)| left(store, &key(place, 0), limit)).collect()
            };
            let before = left_in(&store);
            let (copy, _) = restarted(&saved(&store), 100_000, clock.now().wall, 0);
            let (copied, after) = (left_in(&copy), left_in(&store));
            for (place, copied) in copied.into_iter().enumerate() {
                let meanwhile = after[place]..=before[place];
                assert!(
                    meanwhile.contains(&copied),
                    "{copied} not in {meanwhile:?}, {:?}",
                    limits[place]
                );
            }
        }
    });
}
