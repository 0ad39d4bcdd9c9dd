//! Many requests at the same moment.

use std::{
    sync::{
        Barrier,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread,
};

use tollgate_core::{Action, Charge, Store};

use super::{
    Make, Rig,
    rig::{charge_of, every_algorithm, every_algorithm_per},
};
use crate::{Rng, limit};

const THREADS: u64 = 8;
const REQUESTS: u64 = 125;
const BUDGET: u64 = 10;
const ROUNDS: u64 = 24;

/// A thousand requests on a budget of ten, one limit each: exactly ten pass, by every algorithm.
// Proves: D3
pub fn a_budget_of_ten_admits_ten_alone<T: Store>(make: &impl Make<Store = T>) {
    for limit in every_algorithm(BUDGET) {
        let rig = Rig::new(make);
        let admitted = contend(make.times(ROUNDS), |_, round| {
            let key = round.to_be_bytes();
            rig.charge(&[charge_of(&key, &limit, 1)]).is_allowed()
        });
        assert_eq!(admitted, every_round(make), "{limit:?}");
    }
}

/// The same with two limits on each request: ten pass, and both counters say so.
// Proves: D3, D4
pub fn a_budget_of_ten_admits_ten_together<T: Store>(make: &impl Make<Store = T>) {
    let broad = every_algorithm_per(1_000, "day");
    for (narrow, broad) in every_algorithm(BUDGET).iter().zip(&broad) {
        let rig = Rig::new(make);
        let admitted = contend(make.times(ROUNDS), |thread, round| {
            let key = round.to_be_bytes();
            let mut both = [charge_of(&key, narrow, 1), charge_of(&key, broad, 1)];
            if thread % 2 == 0 {
                both.reverse();
            }
            rig.charge(&both).is_allowed()
        });
        assert_eq!(admitted, every_round(make), "{narrow:?}");
        for round in 0..make.times(ROUNDS) {
            let key = round.to_be_bytes();
            let look = rig.charge(&[charge_of(&key, broad, 0)]);
            assert_eq!(look.binding().remaining(), 1_000 - BUDGET, "{broad:?}");
        }
    }
}

/// Some requests meet one limit and some meet two, on the same counter: still ten.
// Proves: D3, D4
pub fn a_budget_of_ten_admits_ten_mixed<T: Store>(make: &impl Make<Store = T>) {
    let broad = limit("100000/day fixed_window");
    for narrow in every_algorithm(BUDGET) {
        let rig = Rig::new(make);
        let together = AtomicU64::new(0);
        let admitted = contend(make.times(ROUNDS), |thread, round| {
            let key = round.to_be_bytes();
            let both = [charge_of(&key, &narrow, 1), charge_of(b"all", &broad, 1)];
            if thread % 2 == 0 {
                return rig.charge(&both[..1]).is_allowed();
            }
            let is_allowed = rig.charge(&both).is_allowed();
            together.fetch_add(u64::from(is_allowed), Relaxed);
            is_allowed
        });
        assert_eq!(admitted, every_round(make), "{narrow:?}");
        let left = rig.charge(&[charge_of(b"all", &broad, 0)]);
        let taken = 100_000 - left.binding().remaining();
        assert_eq!(taken, together.into_inner(), "{narrow:?}");
    }
}

/// Two counters that are always charged together end equal, whatever else denies the requests.
// Proves: D4
pub fn counters_charged_together_end_equal<T: Store>(make: &impl Make<Store = T>) {
    for limit in every_algorithm(1_000) {
        let hurdle = crate::limit("300/h burst 300");
        let rig = Rig::new(make);
        let total = AtomicU64::new(0);
        contend(1, |thread, round| {
            let mut rng = Rng::new(thread * 1_000 + total.load(Relaxed) + round);
            let mut admitted = false;
            for _ in 0..8 {
                let cost = 1 + rng.below(3);
                let mut charges: Vec<Charge<'_>> =
                    vec![charge_of(b"left", &limit, cost), charge_of(b"right", &limit, cost)];
                if rng.one_in(2) {
                    charges.push(charge_of(b"hurdle", &hurdle, cost));
                }
                rng.shuffle(&mut charges);
                admitted = rig.charge(&charges).is_allowed();
                total.fetch_add(u64::from(admitted) * cost, Relaxed);
            }
            admitted
        });
        let left_of = |key: &[u8]| rig.charge(&[charge_of(key, &limit, 0)]).binding().remaining();
        let used = 1_000 - left_of(b"left");
        assert_eq!(used, total.into_inner(), "{limit:?}");
        assert_eq!(left_of(b"left"), left_of(b"right"), "{limit:?}");
        assert!(used >= 998, "everything was used: {used}");
    }
}

/// Everybody gives back what they took: at the end nothing is missing.
// Proves: D3, D11
pub fn refunds_in_parallel_give_everything_back<T: Store>(make: &impl Make<Store = T>) {
    for limit in every_algorithm(BUDGET) {
        let rig = Rig::new(make);
        contend(make.times(ROUNDS), |_, round| {
            let key = round.to_be_bytes();
            let charge = [charge_of(&key, &limit, 3)];
            let is_allowed = rig.charge(&charge).is_allowed();
            if is_allowed {
                rig.inspect(Action::Refund, &charge);
            }
            is_allowed
        });
        for round in 0..make.times(ROUNDS) {
            let key = round.to_be_bytes();
            let look = rig.charge(&[charge_of(&key, &limit, 0)]);
            assert_eq!(look.binding().remaining(), BUDGET, "{limit:?}");
        }
    }
}

/// Lets all threads make their requests at once, round by round; says how many passed in each.
fn contend(rounds: u64, request: impl Fn(u64, u64) -> bool + Sync) -> Vec<u64> {
    let admitted: Vec<AtomicU64> = (0..rounds).map(|_| AtomicU64::new(0)).collect();
    let start = Barrier::new(usize::try_from(THREADS).expect("few threads"));
    let run = |thread: u64| {
        for (round, count) in (0..).zip(&admitted) {
            start.wait();
            let passed = (0..REQUESTS).filter(|_| request(thread, round)).count();
            count.fetch_add(u64::try_from(passed).expect("few requests"), Relaxed);
        }
    };
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let run = &run;
            scope.spawn(move || run(thread));
        }
    });
    admitted.into_iter().map(AtomicU64::into_inner).collect()
}

/// What is admitted in each round.
fn every_round(make: &impl Make) -> Vec<u64> {
    (0..make.times(ROUNDS)).map(|_| BUDGET).collect()
}
