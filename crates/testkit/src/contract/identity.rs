//! Which counters are the same.

use std::collections::BTreeSet;

use tollgate_core::{Charge, Cost, CounterKey, RuleId, Store};

use super::{
    Make, Rig,
    rig::{charge, charge_of, every_algorithm},
};
use crate::{Rng, limit};

/// Different lists of values, prefixes, empty, long and arbitrary bytes: each has its own budget.
// Proves: D3 (PEERS 2.4)
pub fn keys_that_look_alike_stay_apart<T: Store>(make: &impl Make<Store = T>) {
    let joined = |values: &[&str]| {
        let mut bytes = Vec::new();
        CounterKey::join(values.iter().copied(), &mut bytes);
        bytes
    };
    let long = vec![b'x'; 64 * 1024];
    let (mut longer, mut other_end) = (long.clone(), long.clone());
    longer.push(b'x');
    *other_end.last_mut().expect("long") = b'y';
    let mut keys: Vec<Vec<u8>> = vec![
        joined(&["a_b", "c"]),
        joined(&["a", "b_c"]),
        joined(&["a_b_c"]),
        joined(&["a", "b", "c"]),
        joined(&["", "abc"]),
        joined(&["abc", ""]),
        joined(&[]),
        joined(&[""]),
        joined(&["", ""]),
        long,
        longer,
        other_end,
    ];
    keys.extend((1..70).map(|len| vec![1; len]));
    keys.extend((0..=u8::MAX).map(|byte| vec![byte, 0xff, byte]));
    keys.extend(["{user:1}", "user:1", "user:1:", "user:1\n", "USER:1"].map(Vec::from));
    let distinct: BTreeSet<&Vec<u8>> = keys.iter().collect();
    assert_eq!(distinct.len(), keys.len(), "the list itself");
    for limit in every_algorithm(1) {
        let rig = Rig::new(make);
        for expected in [true, false] {
            for key in &keys {
                let verdict = rig.charge(&[charge_of(key, &limit, 1)]);
                assert_eq!(verdict.is_allowed(), expected, "{limit:?} {} bytes", key.len());
            }
        }
    }
}

/// Rules with the same key, values and limits count apart, wherever their ids differ.
// Proves: D3 (section 12.10)
pub fn rules_of_the_same_key_stay_apart<T: Store>(make: &impl Make<Store = T>) {
    for limit in every_algorithm(1) {
        let rig = Rig::new(make);
        for expected in [true, false] {
            for bit in 0..128 {
                let key = CounterKey::new(RuleId::new(1 << bit), b"user:42");
                let verdict = rig.charge(&[Charge::new(key, &limit, Cost::ONE)]);
                assert_eq!(verdict.is_allowed(), expected, "{limit:?} bit {bit}");
            }
        }
    }
}

/// Two periods of one rule are two counters; the same period spelt otherwise is one.
// Proves: D8 (section 12.10)
pub fn periods_of_one_rule_stay_apart<T: Store>(make: &impl Make<Store = T>) {
    let periods = ["ms", "s", "min", "h", "day", "week", "month", "7day", "30day", "2month"];
    for algorithm in ["token_bucket", "fixed_window", "sliding_window", "sliding_log"] {
        let rig = Rig::new(make);
        let limits = periods.map(|period| limit(&format!("1/{period} {algorithm}")));
        for limit in &limits {
            assert!(rig.take(limit, 1).is_allowed(), "{limit:?}");
        }
        for limit in &limits {
            assert!(!rig.take(limit, 1).is_allowed(), "{limit:?}");
        }
    }
    let rig = Rig::new(make);
    assert!(rig.charge(&[charge(&limit("1/min"), 1)]).is_allowed());
    assert!(!rig.charge(&[charge(&limit("1/60s"), 1)]).is_allowed());
    assert!(!rig.charge(&[charge(&limit("1/60000ms"), 1)]).is_allowed());
}

/// Ten thousand keys, ten thousand budgets: all of them served, none of them twice.
// Proves: D3
pub fn many_keys_have_a_budget_each<T: Store>(make: &impl Make<Store = T>) {
    let limit = limit("2/h burst 2");
    let rig = Rig::new(make);
    let mut rng = Rng::new(31);
    let keys: BTreeSet<u64> = (0..make.times(10_000)).map(|_| rng.word()).collect();
    for left in [Some(1), Some(0), None] {
        for key in &keys {
            let key = format!("user:{key}");
            let verdict = rig.charge(&[charge_of(key.as_bytes(), &limit, 1)]);
            let decision = verdict.binding();
            let remaining = decision.is_allowed().then(|| decision.remaining());
            assert_eq!(remaining, left, "{key}");
        }
    }
}
