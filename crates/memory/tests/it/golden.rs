//! The worked examples of `sim` through every door of the store, and what the store says of itself.
// Proves: C1, D1, D2, D6, D7, D8, D10, D11, D14

use tollgate_core::{
    Action, Charge, Clock, Decision, ImmediateStore, Limit, ManualClock, Micros, Now, Verdict,
};
use tollgate_memory::MemoryStore;
use tollgate_sim::{
    golden::{self, Act, Vector},
    model::ModelAnswer,
};
use tollgate_testkit::{ReferenceStore, Rng, limit};

use crate::common::{charge, every_algorithm, passes, take};

type Store = MemoryStore<ManualClock>;

fn store(keys: usize) -> (Store, ManualClock) {
    let clock = ManualClock::start();
    (MemoryStore::with_capacity(keys, clock.clone()), clock)
}

/// Tells the story of a vector to the store, asking through `door`.
fn replay(
    vector: &Vector,
    store: &Store,
    clock: &ManualClock,
    door: impl Fn(Charge<'_>) -> Decision,
) {
    let (mut limit, mut former) = (vector.limit.clone(), Vec::new());
    clock.set(Now::at(vector.start));
    for step in &vector.steps {
        clock.set(step.now(clock.now()));
        let ask = charge(vector.name.as_bytes(), &limit, 0).replacing(&former);
        match &step.act {
            Act::Charge { cost, answer } => {
                let given = ModelAnswer::from(door(ask.with_cost(*cost)));
                assert_eq!(given, *answer, "golden/{}.txt, line {}", vector.name, step.line);
            }
            Act::Refund { cost } => {
                store.inspect_now(Action::Refund, &[ask.with_cost(*cost)]);
            }
            Act::Replace { limit: next } => {
                former.insert(0, std::mem::replace(&mut limit, next.clone()));
            }
        }
    }
}

#[test]
fn golden_vectors_alone() {
    for vector in golden::load().unwrap() {
        let (store, clock) = store(1_000);
        replay(&vector, &store, &clock, |charge| {
            let peeked = *store.inspect_now(Action::Peek, &[charge]).binding();
            let given = *store.charge_now(&[charge]).binding();
            assert_eq!(peeked, given, "a peek says what charging answers");
            given
        });
    }
}

/// Beside a limit that never denies, so that every request takes the way of several charges.
#[test]
fn golden_vectors_together_with_another_limit() {
    let free = limit("18446744073709551615/month");
    for vector in golden::load().unwrap() {
        let (store, clock) = store(1_000);
        replay(&vector, &store, &clock, |ask| {
            let verdict = store.charge_now(&[charge(b"free", &free, 1), ask]);
            verdict.decisions()[1]
        });
    }
}

#[test]
fn golden_vectors_in_batches() {
    for vector in golden::load().unwrap() {
        let (store, clock) = store(1_000);
        let others = limit("1/h");
        replay(&vector, &store, &clock, |ask| {
            let requests: Vec<[Charge<'_>; 1]> = (0..40_u8)
                .map(|place| if place == 23 { [ask] } else { [charge(b"x", &others, 1)] })
                .collect();
            let requests: Vec<&[Charge<'_>]> = requests.iter().map(<[_; 1]>::as_slice).collect();
            let mut verdicts = Vec::new();
            store.charge_batch_now(&requests, &mut verdicts);
            *verdicts[23].binding()
        });
    }
}

#[test]
fn a_batch_charges_a_key_as_often_as_it_is_in_it() {
    let (narrow, broad) = (limit("20/h burst 20"), limit("25/day fixed_window"));
    let (store, _clock) = store(1_000);
    let single = [charge(b"a", &narrow, 1)];
    let double = [charge(b"a", &narrow, 1), charge(b"b", &broad, 2)];
    let requests: Vec<&[Charge<'_>]> = (0..64)
        .map(|place| match place % 4 {
            0 => &double[..],
            1 => &[],
            _ => &single,
        })
        .collect();
    let mut verdicts: Vec<Verdict> = Vec::new();
    store.charge_batch_now(&requests, &mut verdicts);
    assert_eq!(verdicts.len(), 64);
    let passed = |charges| {
        let of_length = verdicts.iter().filter(|it| it.decisions().len() == charges);
        of_length.filter(|verdict| verdict.is_allowed()).count()
    };
    assert_eq!(passed(0), 16, "a request without limits passes");
    assert_eq!(passed(1) + passed(2), 20);
    let used = 25 - take(&store, b"b", &broad, 0).remaining();
    assert_eq!(used, 2 * u64::try_from(passed(2)).unwrap());
}

#[test]
fn stats_count_slots_and_side_table() {
    let (packed, wide) = (limit("10/h"), limit("10/h sliding_log"));
    let (store, clock) = store(1_000);
    let empty = store.stats();
    assert!((1_400..1_500).contains(&empty.capacity), "{empty:?}");
    assert!(empty.bytes_max >= empty.capacity * 16 && empty.bytes_max < 24 * 1_100, "{empty:?}");
    for key in 0..100_u8 {
        assert!(passes(&store, &[key], &packed));
        assert!(passes(&store, &[key], &packed));
        store.inspect_now(Action::Peek, &[charge(&[key, 1], &packed, 1)]);
        assert!(take(&store, &[key, 2], &packed, 0).is_allowed());
        assert!(!take(&store, &[key, 3], &packed, 11).is_allowed());
    }
    for key in 0..30_u8 {
        assert!(passes(&store, &[key, 4], &wide));
    }
    let stats = store.stats();
    assert_eq!((stats.keys, stats.wide_keys), (100, 30), "who only looks takes no room");
    assert_eq!((stats.evicted_keys, stats.overflow_bytes), (0, 0));
    assert_eq!((stats.capacity, stats.bytes_max), (empty.capacity, empty.bytes_max));
    clock.advance(Micros::from_secs(7_200));
    for key in 0..30_u8 {
        store.inspect_now(Action::Reset, &[charge(&[key, 4], &wide, 0)]);
    }
    assert_eq!(store.stats().wide_keys, 0);
}

/// More layouts than a word can tell apart: the rest is counted beside the table, as exactly.
#[test]
fn fifteen_hundred_layouts_are_all_exact() {
    let limits: Vec<Limit> = (1..=1_500)
        .map(|seconds| match seconds % 3 {
            0 => limit(&format!("5/{seconds}s")),
            1 => limit(&format!("5/{seconds}s fixed_window")),
            _ => limit(&format!("5/{seconds}s burst 5")),
        })
        .collect();
    let (store, clock) = store(100_000);
    let reference = ReferenceStore::new(clock.clone());
    let mut rng = Rng::new(3);
    for _ in 0..60_000 {
        let request = [charge(b"user:42", &limits[rng.index(limits.len())], 1 + rng.below(2))];
        let (given, expected) = (store.charge_now(&request), reference.charge_now(&request));
        assert_eq!(given, expected, "{:?}", request[0].limit);
        clock.advance(Micros::from_millis(rng.below(20)));
    }
    let stats = store.stats();
    assert_eq!(stats.keys, 1_023, "one for each layout that found a number");
    assert!(stats.wide_keys > 150, "{stats:?}");
    assert_eq!(stats.evicted_keys, 0, "{stats:?}");
}

/// The slot of the first period has run out but is still the key's; what counts is under the second.
#[test]
fn a_period_that_comes_back_takes_the_counter_over() {
    for (minute, hour) in every_algorithm(10, "min").iter().zip(&every_algorithm(10, "h")) {
        let (store, clock) = store(1_000);
        let (was_hour, was_minute) = ([hour.clone()], [minute.clone()]);
        assert!(take(&store, b"user:42", minute, 4).is_allowed());
        clock.advance(Micros::from_secs(120));
        let by_hour = [charge(b"user:42", hour, 8).replacing(&was_minute)];
        assert_eq!(store.charge_now(&by_hour).binding().remaining(), 2);
        let by_minute = [charge(b"user:42", minute, 1).replacing(&was_hour)];
        for left in [1, 0] {
            assert_eq!(store.charge_now(&by_minute).binding().remaining(), left, "{minute:?}");
        }
        assert!(!store.allows_now(&by_minute), "{minute:?}");
    }
}
