//! Short words for what the store's tests do.
#![allow(dead_code, reason = "each test file uses a part of it")]

use tollgate_core::{Action, Charge, Cost, CounterKey, Decision, ImmediateStore, Limit, RuleId};
use tollgate_testkit::limit;

pub(crate) const RULE: RuleId = RuleId::new(7);

/// A charge on the counter of some key.
pub(crate) fn charge<'a>(key: &'a [u8], limit: &'a Limit, cost: u64) -> Charge<'a> {
    Charge::new(CounterKey::new(RULE, key), limit, Cost::new(cost))
}

/// Charges one counter.
pub(crate) fn take(store: &impl ImmediateStore, key: &[u8], limit: &Limit, cost: u64) -> Decision {
    *store.charge_now(&[charge(key, limit, cost)]).binding()
}

/// Whether one unit passes.
pub(crate) fn passes(store: &impl ImmediateStore, key: &[u8], limit: &Limit) -> bool {
    store.allows_now(&[charge(key, limit, 1)])
}

/// What is left of a counter.
pub(crate) fn left(store: &impl ImmediateStore, key: &[u8], limit: &Limit) -> u64 {
    let look = [charge(key, limit, 0)];
    store.inspect_now(Action::Peek, &look).binding().remaining()
}

/// A budget of `amount` per `period` by each algorithm, all of it free at once.
pub(crate) fn every_algorithm(amount: u64, period: &str) -> [Limit; 5] {
    let queue = amount - 1;
    [
        format!("{amount}/{period} burst {amount}"),
        format!("{amount}/{period} leaky_bucket burst {queue}"),
        format!("{amount}/{period} fixed_window"),
        format!("{amount}/{period} sliding_window"),
        format!("{amount}/{period} sliding_log"),
    ]
    .map(|text| limit(&text))
}
