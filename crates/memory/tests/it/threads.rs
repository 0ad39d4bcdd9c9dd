//! Many threads on few keys, through every door at once: no deadlock, and every unit is counted.
// Proves: C1, D3, D4, D11, D14

use std::{
    sync::{
        atomic::{AtomicU64, Ordering::Relaxed},
        mpsc,
    },
    thread,
    time::Duration,
};

use tollgate_core::{Action, Charge, ImmediateStore, Limit, ManualClock, Micros};
use tollgate_memory::MemoryStore;
use tollgate_testkit::{Rng, limit};

use crate::common::{charge, every_algorithm, left, take};

const THREADS: u64 = 8;
/// Far longer than any of this takes, also on a machine with other work; a deadlock fails instead of hanging.
const PATIENCE: Duration = Duration::from_secs(600);

type Store = MemoryStore<ManualClock>;

fn store(keys: usize) -> Store {
    MemoryStore::with_capacity(keys, ManualClock::start())
}

/// Runs on a thread of its own, which is left behind if it hangs.
fn in_time(what: impl FnOnce() + Send + 'static) {
    let (done, is_done) = mpsc::channel();
    let run = thread::spawn(move || {
        what();
        done.send(())
    });
    match is_done.recv_timeout(PATIENCE) {
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("it hangs"),
        _ => run.join().unwrap().unwrap(),
    }
}

/// Runs once on each thread at the same time and adds up what they say.
fn together(run: impl Fn(u64, &mut Rng) -> u64 + Sync) -> u64 {
    let total = AtomicU64::new(0);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (run, total) = (&run, &total);
            scope.spawn(move || total.fetch_add(run(thread, &mut Rng::new(thread)), Relaxed));
        }
    });
    total.into_inner()
}

/// How many of twenty requests pass.
fn passed_of_twenty(mut request: impl FnMut() -> bool) -> u64 {
    (0..20).map(|_| u64::from(request())).sum()
}

/// Charges one or two of three keys and mostly gives it back; says what it kept of each.
fn take_and_give(store: &Store, limit: &Limit, rng: &mut Rng) -> [u64; 3] {
    let mut kept = [0; 3];
    for _ in 0..4_000 {
        let (mut keys, cost) = (vec![rng.index(3), rng.index(3)], 1 + rng.below(5));
        keys.dedup();
        let names: Vec<[u8; 8]> = keys.iter().map(|key| key.to_be_bytes()).collect();
        let charges: Vec<Charge<'_>> = names.iter().map(|it| charge(it, limit, cost)).collect();
        if !store.charge_now(&charges).is_allowed() {
            continue;
        }
        if rng.one_in(16) {
            keys.iter().for_each(|key| kept[*key] += cost);
        } else {
            store.inspect_now(Action::Refund, &charges);
        }
    }
    kept
}

/// Single and double charges, and refunds of what was taken: at the end the books balance.
#[test]
fn charges_and_refunds_balance() {
    in_time(|| {
        for limit in every_algorithm(50, "h") {
            let store = store(1_000);
            let used = [const { AtomicU64::new(0) }; 3];
            together(|_, rng| {
                let kept = take_and_give(&store, &limit, rng);
                let each = used.iter().zip(kept);
                each.for_each(|(used, kept)| _ = used.fetch_add(kept, Relaxed));
                0
            });
            for (key, used) in used.into_iter().enumerate() {
                let remaining = left(&store, &key.to_be_bytes(), &limit);
                assert_eq!(50 - remaining, used.into_inner(), "{limit:?}");
            }
        }
    });
}

/// Every thread believes in another algorithm: the key moves between slot and side table all the
/// time, and what was admitted moves with it.
#[test]
fn a_key_whose_algorithm_changes_all_the_time_admits_its_limit_once() {
    in_time(|| {
        let limits = every_algorithm(40, "h");
        let store = store(1_000);
        for round in 0..200_u64 {
            let key = round.to_be_bytes();
            let admitted = together(|_, rng| {
                passed_of_twenty(|| take(&store, &key, &rng.pick(&limits), 1).is_allowed())
            });
            assert_eq!(admitted, 40, "round {round}");
        }
    });
}

/// Half of the threads count by the hour and half by the day, each replacing the other.
fn change_periods(hours: &Limit, days: &Limit) {
    let store = store(1_000);
    let views = [(hours, [days.clone()]), (days, [hours.clone()])];
    for round in 0..40_u64 {
        let key = round.to_be_bytes();
        let admitted = together(|thread, _| {
            let (limit, former) = &views[usize::from(thread % 2 == 0)];
            let asked = [charge(&key, limit, 1).replacing(former)];
            passed_of_twenty(|| store.charge_now(&asked).is_allowed())
        });
        assert_eq!(admitted, 40, "{hours:?}, round {round}");
    }
}

#[test]
fn a_key_whose_period_changes_all_the_time_admits_its_limit_once() {
    in_time(|| {
        let (hours, days) = (every_algorithm(40, "h"), every_algorithm(40, "day"));
        for (hour, day) in hours.iter().zip(&days) {
            change_periods(hour, day);
        }
    });
}

/// Two limits took over from the same one: the first of them goes on with its counter.
#[test]
fn two_limits_that_replace_the_same_one_do_not_wait_for_each_other() {
    in_time(|| {
        let (hour, week) = (limit("10/h"), limit("100/week"));
        for former in every_algorithm(10, "day") {
            let (store, former) = (store(1_000), [former]);
            assert!(take(&store, b"user:42", &former[0], 4).is_allowed());
            let both = [&hour, &week].map(|limit| charge(b"user:42", limit, 1).replacing(&former));
            let verdict = store.charge_now(&both);
            assert!(verdict.is_allowed());
            assert_eq!(verdict.decisions()[0].remaining(), 5, "four are carried over");
            assert_eq!(left(&store, b"user:42", &former[0]), 10, "and are gone there");
        }
    });
}

/// Any request on some of the keys and limits, through any door.
fn anything(store: &Store, limits: &[Limit], rng: &mut Rng) {
    let range = rng.pick(&[4, 300]);
    let names: Vec<[u8; 8]> = (0..=rng.below(4)).map(|_| rng.below(range).to_be_bytes()).collect();
    let mut any_charge = |name| {
        let asked = charge(name, &limits[rng.index(limits.len())], rng.below(4));
        let former = rng.pick(&[0, 0, 0, 1, 2, 3]);
        asked.replacing(&limits[..former])
    };
    let charges: Vec<Charge<'_>> = names.iter().map(|name| any_charge(name)).collect();
    match rng.below(12) {
        0 => drop(store.inspect_now(Action::Peek, &charges)),
        1 => drop(store.inspect_now(Action::Refund, &charges)),
        2 => drop(store.inspect_now(Action::Reset, &charges)),
        3 | 4 => store.charge_batch_now(&[&charges, &charges[..1]], &mut Vec::new()),
        _ => drop(store.charge_now(&charges)),
    }
}

/// Everything at once, on a table so small that keys are evicted meanwhile.
#[test]
fn everything_at_once_comes_to_an_end() {
    in_time(|| {
        let clock = ManualClock::start();
        let store = MemoryStore::with_capacity(64, clock.clone());
        let mut limits: Vec<Limit> = ["7/s", "100/h", "3/min sliding_log"].map(limit).into();
        limits.extend(every_algorithm(8, "min"));
        limits.extend(every_algorithm(50, "2h"));
        limits.push(limit("997/h burst 9"));
        together(|thread, rng| {
            for _ in 0..6_000 {
                anything(&store, &limits, rng);
                let pause = if thread == 0 { rng.below(50) } else { 0 };
                clock.advance(Micros::from_millis(pause));
            }
            0
        });
        let stats = store.stats();
        assert!(stats.keys <= stats.capacity, "{stats:?}");
        assert!(stats.evicted_keys > 0, "{stats:?}");
        clock.advance(Micros::from_secs(6 * 3_600));
        for limit in &limits {
            let key = format!("new:{limit:?}");
            assert_eq!(left(&store, key.as_bytes(), limit), limit.capacity());
        }
    });
}
