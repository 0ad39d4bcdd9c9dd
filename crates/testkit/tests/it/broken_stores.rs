//! The contract catches stores that break it: each fault here is found by the case that names it.

use std::{
    collections::HashMap,
    panic::{self, AssertUnwindSafe},
    sync::Mutex,
    thread,
};

use tollgate_core::{
    Action, Charge, Clock, Cost, CounterKey, Decision, ImmediateStore, ManualClock, Now, RuleId,
    State, Verdict,
};
use tollgate_testkit::{ReferenceStore, contract, ran_alone};

/// How a store is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    ChargesOneByOne,
    SpendsWhenDenied,
    PeeksSpend,
    RefundsAreLost,
    ResetsAreLost,
    FormerLimitsAreForgotten,
    CostsCountOnce,
    KeysAreCut,
    RulesAreMixed,
    ElapsedTimeFollowsTheWallClock,
}

/// A reference store with a fault.
struct Broken {
    store: ReferenceStore<BrokenClock>,
    fault: Fault,
}

struct BrokenClock {
    clock: ManualClock,
    fault: Fault,
}

impl Clock for BrokenClock {
    fn now(&self) -> Now {
        let now = self.clock.now();
        match self.fault {
            Fault::ElapsedTimeFollowsTheWallClock => Now::at(now.wall),
            _ => now,
        }
    }
}

impl Broken {
    fn new(clock: ManualClock, fault: Fault) -> Self {
        let store = ReferenceStore::new(BrokenClock { clock, fault });
        Self { store, fault }
    }

    fn distort<'a>(&self, charge: &Charge<'a>) -> Charge<'a> {
        let (key, values) = (charge.key, charge.key.values());
        match self.fault {
            Fault::FormerLimitsAreForgotten => charge.replacing(&[]),
            Fault::CostsCountOnce => charge.with_cost(charge.cost.min(Cost::ONE)),
            Fault::KeysAreCut => {
                let key = CounterKey::new(key.rule(), &values[..values.len().min(60_000)]);
                Charge::new(key, charge.limit, charge.cost).replacing(charge.former)
            }
            Fault::RulesAreMixed => {
                let rule = RuleId::new(key.rule().get() & u128::from(u64::MAX));
                let key = CounterKey::new(rule, values);
                Charge::new(key, charge.limit, charge.cost).replacing(charge.former)
            }
            _ => *charge,
        }
    }
}

impl ImmediateStore for Broken {
    fn charge_now(&self, charges: &[Charge<'_>]) -> Verdict {
        let charges: Vec<Charge<'_>> = charges.iter().map(|one| self.distort(one)).collect();
        if self.fault == Fault::ChargesOneByOne {
            let one = |charge: &Charge<'_>| *self.store.charge_now(&[*charge]).binding();
            let decisions: Vec<Decision> = charges.iter().map(one).collect();
            return Verdict::of(decisions, self.store.charge_now(&[]).now());
        }
        let verdict = self.store.charge_now(&charges);
        if self.fault == Fault::SpendsWhenDenied && !verdict.is_allowed() {
            for charge in charges {
                self.store.charge_now(&[charge.with_cost(Cost::ONE)]);
            }
        }
        verdict
    }

    fn inspect_now(&self, action: Action, charges: &[Charge<'_>]) -> Verdict {
        let charges: Vec<Charge<'_>> = charges.iter().map(|one| self.distort(one)).collect();
        match (self.fault, action) {
            (Fault::PeeksSpend, Action::Peek) => self.store.charge_now(&charges),
            (Fault::RefundsAreLost, Action::Refund) | (Fault::ResetsAreLost, Action::Reset) => {
                let looks: Vec<Charge<'_>> =
                    charges.iter().map(|charge| charge.with_cost(Cost::ZERO)).collect();
                self.store.charge_now(&looks)
            }
            _ => self.store.inspect_now(action, &charges),
        }
    }
}

/// Reads under one lock and writes under another: two requests can take the same token.
struct Racy {
    clock: ManualClock,
    states: Mutex<HashMap<Vec<u8>, State>>,
}

impl ImmediateStore for Racy {
    fn charge_now(&self, charges: &[Charge<'_>]) -> Verdict {
        let (now, charge) = (self.clock.now(), charges[0]);
        let found = self.states.lock().unwrap().get(charge.key.values()).cloned();
        thread::yield_now();
        let state = found.unwrap_or_else(|| charge.limit.fresh(now));
        let (decision, next) = charge.limit.step(state, now, charge.cost);
        let values = charge.key.values().to_vec();
        self.states.lock().unwrap().insert(values, next);
        Verdict::single(decision, now)
    }

    fn inspect_now(&self, _: Action, charges: &[Charge<'_>]) -> Verdict {
        self.charge_now(charges)
    }
}

/// A case run on a store with a fault.
type Case = fn(Fault);

macro_rules! case {
    ($room:ident::$case:ident) => {
        |fault| contract::$room::$case(&|clock| Broken::new(clock, fault))
    };
}

fn is_caught(run: impl FnOnce()) -> bool {
    panic::catch_unwind(AssertUnwindSafe(run)).is_err()
}

/// Each fault with the case that must find it.
fn faults() -> [(Fault, Case); 10] {
    [
        (
            Fault::ChargesOneByOne,
            case!(all_or_none::a_narrow_denial_leaves_the_broad_limit_untouched),
        ),
        (Fault::SpendsWhenDenied, case!(denials::denied_requests_change_nothing)),
        (Fault::PeeksSpend, case!(side_door::peeks_say_what_charging_would_answer)),
        (Fault::RefundsAreLost, case!(side_door::refunds_give_back_at_most_what_was_taken)),
        (Fault::ResetsAreLost, case!(side_door::resets_make_fresh)),
        (Fault::FormerLimitsAreForgotten, case!(changes::a_changed_period_carries_over_once)),
        (Fault::CostsCountOnce, case!(bursts::a_burst_passes_and_then_the_rate_holds)),
        (Fault::KeysAreCut, case!(identity::keys_that_look_alike_stay_apart)),
        (Fault::RulesAreMixed, case!(identity::rules_of_the_same_key_stay_apart)),
        (Fault::ElapsedTimeFollowsTheWallClock, case!(clocks::elapsed_time_ignores_the_wall_clock)),
    ]
}

// Proves: D3, D4, D7, D11, D14 (that their proofs can fail)
#[test]
fn every_fault_is_found_by_its_case_and_by_chance() {
    // It silences the panics of its whole process.
    if ran_alone(module_path!(), "every_fault_is_found_by_its_case_and_by_chance") {
        return;
    }
    // The panics of the cases are what is wanted here: they need no report.
    let report = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let mut missed: Vec<String> = Vec::new();
    for (fault, case) in faults() {
        if !is_caught(|| case(fault)) {
            missed.push(format!("{fault:?} by its case"));
        }
        let by_chance = || {
            contract::random(&|clock| Broken::new(clock, fault), 1, 20_000);
        };
        // The schedule's keys are short.
        if !is_caught(by_chance) && fault != Fault::KeysAreCut {
            missed.push(format!("{fault:?} by chance"));
        }
    }
    let racy = |clock| Racy { clock, states: Mutex::default() };
    if !is_caught(|| contract::concurrent::a_budget_of_ten_admits_ten_alone(&racy)) {
        missed.push("the race".to_owned());
    }
    panic::set_hook(report);
    assert_eq!(missed, Vec::<String>::new());
}
