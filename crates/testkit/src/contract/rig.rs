//! A store under test, on a clock that the case moves.

use tollgate_core::{
    Action, Charge, Cost, CounterKey, Decision, Limit, ManualClock, Micros, Now, RuleId, Store,
    Timestamp, Verdict,
};

use super::Make;
use crate::block_on;

/// A store, its clock, and short words for what cases do to one counter of it.
///
/// ```
/// use tollgate_testkit::{ReferenceStore, contract::Rig, limit};
///
/// let rig = Rig::new(&ReferenceStore::new);
/// assert!(rig.take(&limit("1/min"), 1).is_allowed());
/// assert!(!rig.take(&limit("1/min"), 1).is_allowed());
/// ```
#[derive(Debug)]
pub struct Rig<S> {
    /// What moves the store's time.
    pub clock: ManualClock,
    /// The store.
    pub store: S,
}

impl<S: Store> Rig<S> {
    /// An empty store at the beginning of 2026.
    pub fn new(make: &impl Make<Store = S>) -> Self {
        Self::on(ManualClock::start(), make)
    }

    /// An empty store at a moment.
    pub fn at(moment: Timestamp, make: &impl Make<Store = S>) -> Self {
        Self::on(ManualClock::at(moment), make)
    }

    fn on(clock: ManualClock, make: &impl Make<Store = S>) -> Self {
        let store = make.store(clock.clone());
        Self { clock, store }
    }

    /// What the store says to a request.
    pub fn charge(&self, charges: &[Charge<'_>]) -> Verdict {
        block_on(self.store.charge(charges)).expect("the store answers")
    }

    /// What the store's side door says.
    pub fn inspect(&self, action: Action, charges: &[Charge<'_>]) -> Verdict {
        block_on(self.store.inspect(action, charges)).expect("the store answers")
    }

    /// Charges the rig's usual counter.
    pub fn take(&self, limit: &Limit, cost: u64) -> Decision {
        *self.charge(&[charge(limit, cost)]).binding()
    }

    /// Asks what charging the usual counter would answer.
    pub fn peek(&self, limit: &Limit, cost: u64) -> Decision {
        *self.inspect(Action::Peek, &[charge(limit, cost)]).binding()
    }

    /// Gives back to the usual counter.
    pub fn refund(&self, limit: &Limit, cost: u64) -> Decision {
        *self.inspect(Action::Refund, &[charge(limit, cost)]).binding()
    }

    /// Makes the usual counter fresh.
    pub fn reset(&self, limit: &Limit) -> Decision {
        *self.inspect(Action::Reset, &[charge(limit, 0)]).binding()
    }

    /// How much of the usual counter is left.
    pub fn left(&self, limit: &Limit) -> u64 {
        self.peek(limit, 0).remaining()
    }

    /// How many of `requests` of cost 1 pass, one after the other.
    pub fn admitted(&self, limit: &Limit, requests: u64) -> u64 {
        let passed = (0..requests).filter(|_| self.take(limit, 1).is_allowed());
        u64::try_from(passed.count()).expect("no more than were asked")
    }

    /// Lets time pass.
    pub fn pass(&self, micros: u64) {
        self.clock.advance(Micros::new(micros));
    }

    /// The clock's reading.
    pub fn now(&self) -> Now {
        tollgate_core::Clock::now(&self.clock)
    }
}

/// A charge on the rig's usual counter.
pub(super) fn charge(limit: &Limit, cost: u64) -> Charge<'_> {
    charge_of(b"user:42", limit, cost)
}

/// A charge on the counter of some key.
pub(super) fn charge_of<'a>(key: &'a [u8], limit: &'a Limit, cost: u64) -> Charge<'a> {
    Charge::new(CounterKey::new(RULE, key), limit, Cost::new(cost))
}

/// The rule of the rig's usual counter.
pub(super) const RULE: RuleId = RuleId::new(1);

/// A budget of `amount` an hour by each algorithm, all of it free at once.
pub(super) fn every_algorithm(amount: u64) -> [Limit; 5] {
    every_algorithm_per(amount, "h")
}

/// A budget of `amount` per `period` by each algorithm, all of it free at once.
pub(super) fn every_algorithm_per(amount: u64, period: &str) -> [Limit; 5] {
    let queue = amount - 1;
    [
        format!("{amount}/{period} burst {amount}"),
        format!("{amount}/{period} leaky_bucket burst {queue}"),
        format!("{amount}/{period} fixed_window"),
        format!("{amount}/{period} sliding_window"),
        format!("{amount}/{period} sliding_log"),
    ]
    .map(|text| crate::limit(&text))
}

/// A microsecond times these.
pub(super) const MS: u64 = 1_000;
/// A second.
pub(super) const S: u64 = 1_000 * MS;
/// A minute.
pub(super) const MIN: u64 = 60 * S;
/// An hour.
pub(super) const H: u64 = 60 * MIN;
/// A day.
pub(super) const DAY: u64 = 24 * H;
