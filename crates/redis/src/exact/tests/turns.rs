//! Who is settled next.

use std::collections::BTreeSet;

use tollgate_core::{Charge, Cost, CounterKey, RuleId, Timestamp};
use tollgate_testkit::limit;

use super::super::Item;
use crate::{key::Names, ledger::Ledger};

// Proves: C6
#[test]
fn every_counter_has_its_turn_though_none_is_settled() {
    let (ledger, limit) = (Ledger::default(), limit("10/min"));
    let names = Names { prefix: "rl".to_owned(), naming: |values, part| part("user", values) };
    for number in 0..10_u8 {
        let user = [b'a' + number];
        let key = CounterKey::new(RuleId::new(1), &user);
        let item = Item::new(&Charge::new(key, &limit, Cost::ONE), &names);
        ledger.give_back(&item, Timestamp::from_micros(1));
    }
    let turns = (0..5).flat_map(|_| ledger.some(2));
    let keys: BTreeSet<_> = turns.map(|item| item.key).collect();
    assert_eq!(keys.len(), 10);
    assert_eq!(ledger.some(100).len(), 10, "each once at a time");
}
