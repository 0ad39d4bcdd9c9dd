//! Keys that only a sketch counts: clocks, refunds, resets, changed limits, failure policies, restarts.
// Proves: C1, D7, D11, D14

use tollgate_core::{
    Action, Charge, Cost, CounterKey, ImmediateStore, Limit, ManualClock, Micros, OnFailure,
    Policy, Reason, Verdict,
};
use tollgate_memory::{CellStore, MemoryStore, Throttle};
use tollgate_testkit::limit;

use crate::common::{RULE, every_algorithm, left, passes, take};

const SECRETS: [u64; 4] = [5, 6, 7, 8];
const OVERFLOW_BYTES: usize = 16 << 20;
const VICTIMS: u64 = 20;
const FLOOD: u64 = 3_000;

type Store = MemoryStore<ManualClock>;

fn victim(number: u64) -> [u8; 8] {
    number.to_be_bytes()
}

fn flood(number: u64) -> [u8; 8] {
    (1_000_000 + number).to_be_bytes()
}

/// A small store in which some keys are exhausted and many others have come since.
fn flooded(limit: &Limit, overflow_bytes: usize) -> (Store, ManualClock) {
    flooded_by(FLOOD, limit, overflow_bytes)
}

fn flooded_by(keys: u64, limit: &Limit, overflow_bytes: usize) -> (Store, ManualClock) {
    let clock = ManualClock::start();
    let store = MemoryStore::with_bounds(64, overflow_bytes, clock.clone()).seeded(SECRETS);
    for number in 0..VICTIMS {
        assert!(take(&store, &victim(number), limit, limit.capacity()).is_allowed());
    }
    for number in 0..keys {
        take(&store, &flood(number), limit, limit.capacity());
    }
    let before = store.stats().estimated_requests;
    assert_eq!(exhausted(&store, limit), VICTIMS, "{limit:?}");
    let estimated = store.stats().estimated_requests - before;
    assert!(estimated > VICTIMS / 2, "{limit:?}: {estimated} have no place");
    (store, clock)
}

fn exhausted(store: &Store, limit: &Limit) -> u64 {
    let is_exhausted = |number: &u64| left(store, &victim(*number), limit) == 0;
    u64::try_from((0..VICTIMS).filter(is_exhausted).count()).unwrap()
}

const MINUTE: i64 = 60_000_000;

// Two steps of a clock cleared what was counted before the first.
#[test]
fn a_clock_that_is_set_back_and_forth_frees_nobody() {
    for limit in ["5/min fixed_window", "5/min sliding_window"].map(limit) {
        let (store, clock) = flooded(&limit, OVERFLOW_BYTES);
        for _ in 0..2 {
            clock.step_wall(-10 * MINUTE);
            for number in FLOOD..2 * FLOOD {
                take(&store, &flood(number), &limit, 5);
            }
            clock.step_wall(10 * MINUTE);
            assert_eq!(exhausted(&store, &limit), VICTIMS, "{limit:?}");
        }
    }
}

#[test]
fn a_clock_that_is_set_back_locks_nobody_out_for_longer_than_its_window() {
    for limit in ["5/min fixed_window", "5/min sliding_window"].map(limit) {
        let (store, clock) = flooded(&limit, OVERFLOW_BYTES);
        clock.step_wall(-600 * MINUTE);
        let passed = |number: &u64| passes(&store, &victim(*number), &limit);
        assert_eq!((0..VICTIMS).filter(passed).count(), 0, "{limit:?}");
        clock.advance(Micros::from_secs(121));
        assert_eq!((0..VICTIMS).filter(passed).count(), 20, "{limit:?}");
    }
}

#[test]
fn a_refund_credits_nothing_and_says_so() {
    for limit in every_algorithm(10, "h") {
        let (store, _clock) = flooded(&limit, OVERFLOW_BYTES);
        let mut uncredited = 0;
        for number in 0..VICTIMS {
            let key = victim(number);
            let charge = [Charge::new(CounterKey::new(RULE, &key), &limit, Cost::new(4))];
            let before = store.stats().estimated_requests;
            let verdict = store.inspect_now(Action::Refund, &charge);
            let is_sketched = store.stats().estimated_requests > before;
            let told = verdict.binding().remaining();
            assert_eq!(told, if is_sketched { 0 } else { 4 }, "{limit:?}");
            assert_eq!(told, left(&store, &key, &limit), "{limit:?}");
            uncredited += u64::from(is_sketched);
        }
        assert!(uncredited > VICTIMS / 2, "{limit:?}");
    }
}

#[test]
fn a_reset_gives_a_place_that_is_given_up_last() {
    for limit in every_algorithm(10, "h") {
        let (store, _clock) = flooded(&limit, OVERFLOW_BYTES);
        for number in 0..VICTIMS {
            let key = victim(number);
            let charge = [Charge::new(CounterKey::new(RULE, &key), &limit, Cost::ONE)];
            let verdict = store.inspect_now(Action::Reset, &charge);
            assert_eq!(verdict.binding().remaining(), 10, "{limit:?}");
        }
        for number in FLOOD..2 * FLOOD {
            take(&store, &flood(number), &limit, 10);
        }
        let free = |number: &u64| left(&store, &victim(*number), &limit) == 10;
        assert_eq!((0..VICTIMS).filter(free).count(), 20, "{limit:?}");
    }
}

#[test]
fn what_a_former_period_has_counted_is_carried_over() {
    for former in every_algorithm(10, "h") {
        let (store, _clock) = flooded(&former, OVERFLOW_BYTES);
        let (limit, formers) = (limit("10/day"), [former]);
        for number in 0..VICTIMS {
            let key = victim(number);
            let charge = Charge::new(CounterKey::new(RULE, &key), &limit, Cost::ONE);
            let verdict = store.charge_now(&[charge.replacing(&formers)]);
            assert!(!verdict.is_allowed(), "{formers:?}");
        }
    }
}

fn ask(store: &Store, key: &[u8], limit: &Limit, on_failure: OnFailure) -> Verdict {
    let policy = Policy { on_failure, ..Policy::default() };
    let charge = Charge::new(CounterKey::new(RULE, key), limit, Cost::ONE);
    store.charge_now(&[charge.under(policy)])
}

/// With next to no room for sketches all keys share a few entries.
#[test]
fn above_one_wrong_denial_in_a_hundred_the_policy_answers() {
    for limit in every_algorithm(10, "h") {
        for policy in [OnFailure::Open, OnFailure::Closed, OnFailure::Local] {
            let (store, _clock) = flooded_by(20_000, &limit, 0);
            let overflow = store.overflows()[0];
            assert!(overflow.is_unreliable(), "{overflow:?}");
            assert_eq!(overflow.rule, Some(RULE));
            let mut answered = 0;
            for number in 0..100 {
                let verdict = ask(&store, format!("new{number}").as_bytes(), &limit, policy);
                if let Some(fallback) = verdict.fallback() {
                    assert_eq!((fallback, verdict.reason()), (policy, Reason::Fallback));
                    assert_eq!(verdict.is_allowed(), policy == OnFailure::Open, "{limit:?}");
                    answered += 1;
                } else {
                    assert!(verdict.is_allowed(), "{limit:?}");
                }
            }
            assert!(answered > 50, "{limit:?}, {policy:?}: {answered}");
        }
    }
}

#[test]
fn with_room_for_the_sketches_no_policy_answers() {
    for limit in every_algorithm(10, "h") {
        for policy in [OnFailure::Open, OnFailure::Closed, OnFailure::Local] {
            let (store, _clock) = flooded(&limit, OVERFLOW_BYTES);
            let overflow = store.overflows()[0];
            assert!(overflow.keys > 1_000 && !overflow.is_unreliable(), "{overflow:?}");
            let new = ask(&store, b"new", &limit, policy);
            assert_eq!((new.is_allowed(), new.fallback()), (true, None));
            let denied = ask(&store, &victim(0), &limit, policy);
            assert_eq!((denied.is_allowed(), denied.fallback()), (false, None));
        }
    }
}

#[test]
fn what_has_run_out_is_no_overflow() {
    for limit in every_algorithm(10, "min") {
        let (store, clock) = flooded_by(20_000, &limit, 0);
        clock.advance(Micros::from_secs(181));
        assert_eq!(store.overflows(), [], "{limit:?}");
        let served =
            |number: &u64| ask(&store, &victim(*number), &limit, OnFailure::Closed).is_allowed();
        assert_eq!((0..VICTIMS).filter(served).count(), 20, "{limit:?}");
    }
}

#[test]
fn debts_in_sketches_survive_a_restart() {
    let once_a_day = Throttle { max_burst: 0, count: 1, period_s: 86_400, quantity: 1 };
    let clock = ManualClock::start();
    let cells = CellStore::with_capacity(1_000, clock.clone()).seeded(SECRETS);
    let is_limited = |cells: &CellStore<ManualClock>, key: &[u8]| {
        cells.throttle(key, once_a_day).unwrap().is_limited
    };
    for number in 0..5_000 {
        clock.advance(Micros::new(10));
        assert!(!is_limited(&cells, &flood(number)));
    }
    assert!(cells.stats().overflow_keys > 3_000, "{:?}", cells.stats());
    let mut file = Vec::new();
    cells.save(&mut file).unwrap();
    clock.advance(Micros::from_secs(3_600));
    for (keys, bytes) in [(1_000, 16 << 20), (300, 4 << 20), (50_000, 32 << 20)] {
        let cells =
            CellStore::load_with_bounds(file.as_slice(), keys, bytes, clock.clone()).unwrap();
        let limited = |number: &u64| is_limited(&cells, &flood(*number));
        assert_eq!((0..5_000).filter(limited).count(), 5_000, "{keys}, {bytes}");
        let new = (5_000..5_500).filter(|number| !limited(number)).count();
        assert!(new >= 495, "{keys}, {bytes}: {new}");
    }
}
