//! Defects on purpose: each must be found by the schedules or by the comparison with the model.
// Proves: C3, C7

use tollgate_sim::pool::Guard;

use super::{
    calls::compare, lua_pool::Scripts, node::model_holder, real_holder::real_holder,
    schedules::Trial,
};

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

/// The number of the first schedule in which more is admitted than the law allows.
fn breaks_the_law(mutants: &[Mutant], guard: Guard) -> Option<u64> {
    let scripts = Scripts::changed(|text| {
        let text = text.to_owned();
        mutants.iter().fold(text, |text, mutant| mutant.text(&text))
    });
    let trial = Trial {
        scripts,
        make: model_holder,
        guard,
    };
    let found = (0..TRIES).find(|seed| trial.run(*seed).is_err());
    println!("{found:?}");
    found
}

/// The same with our holder.
fn breaks_the_law_with_our_holder(guard: Guard) -> Option<u64> {
    let trial = Trial {
        scripts: Scripts::new(),
        make: real_holder,
        guard,
    };
    let found = (0..TRIES).find(|seed| trial.run(*seed).is_err());
    println!("{found:?}");
    found
}

/// The number of the first row of calls on which scripts and model differ.
fn differs_from_the_model(mutants: &[Mutant]) -> Option<u64> {
    let scripts = Scripts::changed(|text| {
        let text = text.to_owned();
        mutants.iter().fold(text, |text, mutant| mutant.text(&text))
    });
    let found = (0..TRIES).find(|seed| compare(*seed, &scripts).is_err());
    println!("{found:?}");
    found
}

#[test]
fn mutant_expire_before_refill() {
    let mutant = Mutant {
        find: "      hold(i, limit, lease.till, out)\n",
        replace: "",
    };
    assert!(breaks_the_law(&[mutant], Guard::Right).is_some());
}

#[test]
fn mutant_refill_to_now_before_expiries() {
    let mutant = Mutant {
        find: "hold(i, limit, lease.till, out)",
        replace: "hold(i, limit, steady, out)",
    };
    assert!(differs_from_the_model(&[mutant]).is_some());
}

#[test]
fn mutant_guard_dropped() {
    assert!(breaks_the_law(&[], Guard::WithoutDrift).is_some());
    assert!(breaks_the_law_with_our_holder(Guard::WithoutDrift).is_some());
}

#[test]
fn mutant_deadline_from_receipt() {
    assert!(breaks_the_law(&[], Guard::FromReceipt).is_some());
    assert!(breaks_the_law_with_our_holder(Guard::FromReceipt).is_some());
}

#[test]
fn mutant_sequence_check_dropped() {
    let late = Mutant {
        find: "if leased > sequence or (leased == sequence and not mine) then return 'stale' end",
        replace: "",
    };
    let again = Mutant {
        find: "if mine and mine.sequence == sequence then",
        replace: "if false then",
    };
    assert!(breaks_the_law(&[late, again], Guard::Right).is_some());
}

#[test]
fn mutant_call_granted_again_after_its_end() {
    let mutant = Mutant {
        find: " or (leased == sequence and not mine) then",
        replace: " then",
    };
    assert!(breaks_the_law(&[mutant], Guard::Right).is_some());
}

#[test]
fn mutant_repeated_call_keeps_what_had_ended() {
    let mutant = Mutant {
        find: "kept, granted = mine.tokens > mine.granted and 1 or 0, mine.granted",
        replace: "kept, granted = 1, mine.granted",
    };
    assert!(breaks_the_law(&[mutant], Guard::Right).is_some());
}

#[test]
fn mutant_return_credited_above_the_cap() {
    let more = Mutant {
        find: "      returned = min(returned, tokens)\n",
        replace: "",
    };
    let cap = Mutant {
        find: "  hold(i, limit, steady, out)\n  return micros",
        replace: "  return micros",
    };
    assert!(differs_from_the_model(&[more, cap]).is_some());
}

#[test]
fn mutant_late_return_credited() {
    let mutant = Mutant {
        find: "    local tokens = 0\n",
        replace: "    local tokens = 0\n    if not mine and previous > 0 and leased == previous then credit(i, limit, returned, out) end\n",
    };
    assert!(breaks_the_law(&[mutant], Guard::Right).is_some());
}

#[test]
fn mutant_unknown_holder_credited() {
    let mutant = Mutant {
        find: "    local tokens = 0\n",
        replace: "    local tokens = 0\n    if not mine and previous > 0 and leased ~= previous then credit(i, limit, returned, out) end\n",
    };
    assert!(breaks_the_law(&[mutant], Guard::Right).is_some());
}

#[test]
fn mutant_absent_key_is_fresh_after_failover() {
    let mutant = Mutant {
        find: "if since == 0 then return false end",
        replace: "if since >= 0 then return false end",
    };
    assert!(breaks_the_law(&[mutant], Guard::Right).is_some());
}

#[test]
fn mutant_lost_debits_are_not_asserted() {
    let mutant = Mutant {
        find: "if known > total then",
        replace: "if false then",
    };
    assert!(breaks_the_law(&[mutant], Guard::Right).is_some());
}

#[test]
fn mutant_lease_outlives_its_record() {
    let mutant = Mutant {
        find: "    life = min(life, ttl[limit] * 500)\n",
        replace: "",
    };
    assert!(differs_from_the_model(&[mutant]).is_some());
}
