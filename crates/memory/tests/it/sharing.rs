//! Keys that have no place of their own, and panics in code that was brought along.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
        mpsc,
    },
    thread,
    time::Duration,
};

use tollgate_core::{
    Action, Algorithm, Answer, Cost, CustomState, ImmediateStore, Limit, ManualClock, Micros, Now,
    Outcome,
};
use tollgate_memory::MemoryStore;
use tollgate_testkit::limit;

use crate::common::{charge, left, passes, take};

/// A small store in which thousands of keys have used up their limit.
fn flooded(limit: &Limit) -> (MemoryStore<ManualClock>, ManualClock) {
    let clock = ManualClock::start();
    let store = MemoryStore::with_capacity(64, clock.clone());
    for number in 0..5_000 {
        take(&store, flood(number).as_bytes(), limit, limit.capacity());
    }
    assert!(store.stats().evicted_keys > 0, "{:?}", store.stats());
    (store, clock)
}

fn flood(number: u64) -> String {
    format!("flood{number}")
}

// A key that goes on hammering kept the shared counter live for ever, and every new key of its shard
// was sent there although the table was empty again.
// Proves: C1
#[test]
fn sharing_ends_when_there_is_room_again() {
    let limit = limit("10/s burst 10");
    let (store, clock) = flooded(&limit);
    for _ in 0..2_000 {
        clock.advance(Duration::from_millis(50));
        for number in 4_000..4_020 {
            passes(&store, flood(number).as_bytes(), &limit);
        }
    }
    let honest = |number: &u64| passes(&store, format!("honest{number}").as_bytes(), &limit);
    assert_eq!((0..640).filter(honest).count(), 640);
}

// Resetting a key that shares a counter made the counter fresh for everybody who shares it.
// Proves: C1, D11
#[test]
fn a_reset_or_refund_of_one_key_frees_no_other() {
    let limit = limit("10/h");
    let (store, _clock) = flooded(&limit);
    let free = || (0..5_000).filter(|it| left(&store, flood(*it).as_bytes(), &limit) > 0).count();
    let before = free();
    for number in 0..500 {
        let key = format!("other{number}");
        let charge = [charge(key.as_bytes(), &limit, 10)];
        store.inspect_now(Action::Reset, &charge);
        store.inspect_now(Action::Refund, &charge);
    }
    assert_eq!(free(), before);
}

// Two windows of 49 of 100 leave 3: such a key is not to be evicted as if it had used 49.
// Proves: C1
#[test]
fn a_sliding_window_is_as_used_as_both_its_windows() {
    let (limit, clock) = (limit("100/min"), ManualClock::start());
    let store = MemoryStore::with_capacity(64, clock.clone());
    let keys: Vec<String> = (0..40).map(|number| format!("key{number}")).collect();
    for _ in 0..2 {
        clock.advance(Duration::from_secs(60));
        for key in &keys {
            assert!(take(&store, key.as_bytes(), &limit, 49).is_allowed());
        }
    }
    for number in 0..5_000 {
        take(&store, flood(number).as_bytes(), &limit, 60);
    }
    let kept = keys.iter().filter(|key| left(&store, key.as_bytes(), &limit) <= 3).count();
    assert_eq!(kept, 40, "{:?}", store.stats());
}

// All sliding logs of a small store shared so few places that a lone key was denied at half its rate.
// Proves: C1, D1
#[test]
fn a_small_store_still_keeps_a_long_log() {
    let (limit, clock) = (limit("1000/s sliding_log"), ManualClock::start());
    let store = MemoryStore::with_capacity(100, clock.clone());
    let passed = (0..3_000).filter(|_| {
        clock.advance(Micros::from_millis(2));
        passes(&store, b"a", &limit)
    });
    assert_eq!(passed.count(), 3_000);
}

/// Allows everything, and panics when told to.
#[derive(Debug, Default)]
struct Panics(AtomicBool);

impl Algorithm for Panics {
    type State = CustomState;

    fn capacity(&self) -> u64 {
        10
    }
    fn fresh(&self, _: Now) -> CustomState {
        [0, 0]
    }
    fn step(&self, [used, _]: CustomState, _: Now, cost: Cost) -> (Answer, CustomState) {
        assert!(!self.0.swap(false, Relaxed), "as told");
        let used = used + cost.get();
        let (outcome, reset_after) = (Outcome::ALLOW, Micros::ZERO);
        (Answer { outcome, used, reset_after }, [used, 0])
    }
    fn used(&self, state: &CustomState, _: Now) -> u64 {
        state[0]
    }
    fn admitted(&self, used: u64, _: Now) -> CustomState {
        [used, 0]
    }
    fn refund(&self, state: CustomState, _: Now, _: Cost) -> CustomState {
        state
    }
    fn is_fresh(&self, state: &CustomState, _: Now) -> bool {
        state[0] == 0
    }
}

// A request held the slot of its first counter when the algorithm of its second one panicked; every
// later request for that key waited for the slot for ever.
// Proves: C1, L1
#[test]
fn a_panic_in_code_brought_along_leaves_the_key_usable() {
    let panics = Arc::new(Panics::default());
    let (packed, custom) = (limit("10/min"), limit("10/h").with_custom(panics.clone()));
    let store = Arc::new(MemoryStore::with_capacity(1_000, ManualClock::start()));
    assert!(passes(&*store, b"a", &packed));
    panics.0.store(true, Relaxed);
    let (doomed, limit) = (Arc::clone(&store), packed.clone());
    let request = move || doomed.charge_now(&[charge(b"a", &limit, 1), charge(b"a", &custom, 1)]);
    assert!(thread::spawn(request).join().is_err());
    let (answer, answers) = mpsc::channel();
    thread::spawn(move || answer.send(left(&*store, b"a", &packed)));
    let left = answers.recv_timeout(Duration::from_secs(60)).expect("it waits for ever");
    assert_eq!(left, 9);
}
