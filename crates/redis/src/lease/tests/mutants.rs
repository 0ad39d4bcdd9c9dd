//! Defects on purpose: each must be found by the schedules or by the comparison with the model.
// Proves: C3, C7

use std::rc::Rc;

use tollgate_sim::pool::Guard;

use super::{
    calls::{LIMITS, compare},
    lua_pool::Scripts,
    node::{Holds, Make, model_holder},
    real_holder::real_holder,
    schedules::{Trial, lua_pools},
    world::Faults,
};
use crate::script;

/// A change of the scripts' texts: what is found once becomes something else.
struct Mutant {
    find: &'static str,
    replace: &'static str,
}

/// Schedules, or comparisons, after which a defect counts as not found.
const TRIES: u64 = 6_000;

impl Mutant {
    fn text(&self, text: &str) -> String {
        let found = text.matches(self.find).count();
        assert!(found <= 1, "{} is there {found} times", self.find);
        text.replacen(self.find, self.replace, 1)
    }
}

/// Our scripts with these defects.
fn changed(mutants: &[Mutant]) -> Rc<Scripts> {
    for mutant in mutants {
        let is_there = script::LEASE.text().contains(mutant.find);
        assert!(is_there, "{:?} is in no script", mutant.find);
    }
    Scripts::changed(|text| {
        let text = text.to_owned();
        mutants.iter().fold(text, |text, mutant| mutant.text(&text))
    })
}

/// Whether a schedule is found in which more is admitted than the law allows.
fn breaks_the_law(mutants: &[Mutant], faults: Faults, limits: Limits) -> bool {
    finds(changed(mutants), model_holder, Guard::Right, (faults, limits))
}

/// Whether holders that believe in leases for too long break the law; the model's and ours.
fn is_broken_by(guard: Guard, faults: Faults) -> bool {
    finds(Scripts::new(), model_holder, guard, (faults, &LIMITS))
        && finds(Scripts::new(), real_holder, guard, (faults, &LIMITS))
}

fn finds<H: Holds>(
    scripts: Rc<Scripts>,
    make: Make<H>,
    guard: Guard,
    (faults, limits): (Faults, Limits),
) -> bool {
    let trial = Trial { pool: lua_pools(scripts), make, guard, faults: Some(faults), limits };
    let found = (0..TRIES).find_map(|seed| trial.run(seed).err());
    found.is_some()
}

/// Whether there are calls on which scripts and model differ.
fn differs_from_the_model(mutants: &[Mutant]) -> bool {
    let scripts = changed(mutants);
    let found = (0..TRIES).find_map(|seed| compare(seed, &scripts).err());
    found.is_some()
}

type Limits = &'static [&'static str];

/// In a small bucket one token too many shows at once.
const SMALL_BUCKETS: Limits = &["10/s burst 10", "7/s burst 5"];
const NETWORK: Faults =
    Faults { network: true, nodes: false, drift: false, failover: false, change: false };
const DRIFT: Faults = Faults { network: false, drift: true, ..NETWORK };
const FAILOVER: Faults = Faults { network: false, failover: true, ..NETWORK };

#[test]
fn mutant_expire_before_refill() {
    let mutant = Mutant { find: "      hold(i, limit, lease.till, out)\n", replace: "" };
    assert!(breaks_the_law(&[mutant], NETWORK, SMALL_BUCKETS));
}

#[test]
fn mutant_refill_to_now_before_expiries() {
    let mutant =
        Mutant { find: "hold(i, limit, lease.till, out)", replace: "hold(i, limit, steady, out)" };
    assert!(differs_from_the_model(&[mutant]));
}

#[test]
fn mutant_guard_dropped() {
    assert!(is_broken_by(Guard::WithoutDrift, DRIFT));
}

#[test]
fn mutant_deadline_from_receipt() {
    assert!(is_broken_by(Guard::FromReceipt, NETWORK));
}

#[test]
fn mutant_sequence_check_dropped() {
    let late = Mutant {
        find: "if leased > sequence or (leased == sequence and not mine) then return 'stale' end",
        replace: "",
    };
    let again =
        Mutant { find: "if mine and mine.sequence == sequence then", replace: "if false then" };
    assert!(breaks_the_law(&[late, again], NETWORK, &LIMITS));
}

#[test]
fn mutant_call_granted_again_after_its_end() {
    let mutant = Mutant { find: " or (leased == sequence and not mine) then", replace: " then" };
    assert!(breaks_the_law(&[mutant], NETWORK, SMALL_BUCKETS));
}

#[test]
fn mutant_repeated_call_keeps_what_had_ended() {
    let mutant = Mutant {
        find: "kept, granted = mine.tokens > mine.granted and 1 or 0, mine.granted",
        replace: "kept, granted = 1, mine.granted",
    };
    assert!(breaks_the_law(&[mutant], NETWORK, &LIMITS));
}

#[test]
fn mutant_return_credited_above_the_cap() {
    let more = Mutant { find: "      returned = min(returned, tokens)\n", replace: "" };
    let cap = Mutant {
        find: "  hold(i, limit, steady, out)\n  return micros",
        replace: "  return micros",
    };
    assert!(differs_from_the_model(&[more, cap]));
}

#[test]
fn mutant_late_return_credited() {
    let mutant = Mutant {
        find: "    local tokens = 0\n",
        replace: "    local tokens = 0\n    if not mine and previous > 0 and leased == previous then credit(i, limit, returned, out) end\n",
    };
    assert!(breaks_the_law(&[mutant], NETWORK, &LIMITS));
}

#[test]
fn mutant_unknown_holder_credited() {
    let mutant = Mutant {
        find: "    local tokens = 0\n",
        replace: "    local tokens = 0\n    if not mine and previous > 0 and leased ~= previous then credit(i, limit, returned, out) end\n",
    };
    assert!(breaks_the_law(&[mutant], NETWORK, &LIMITS));
}

#[test]
fn mutant_absent_key_is_fresh_after_failover() {
    let mutant = Mutant {
        find: "if since == 0 then return false end",
        replace: "if since >= 0 then return false end",
    };
    assert!(breaks_the_law(&[mutant], FAILOVER, &LIMITS));
}

#[test]
fn mutant_lost_debits_are_not_asserted() {
    let mutant = Mutant { find: "max(0, known - total)", replace: "0" };
    assert!(breaks_the_law(&[mutant], FAILOVER, &LIMITS));
}

#[test]
fn mutant_lease_outlives_its_record() {
    let mutant = Mutant { find: "    life = min(life, ttl[limit] * 500)\n", replace: "" };
    assert!(differs_from_the_model(&[mutant]));
}
