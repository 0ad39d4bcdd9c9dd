//! An algorithm that the user brought.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use tollgate_core::{Algorithm, Answer, Cost, CustomState, Limit, Micros, Now, Outcome, Store};

use super::{
    Make, Rig,
    rig::{S, charge},
};
use crate::limit;

/// A budget that begins with the first request and is whole again after one span: a window that every
/// key has to itself.
#[derive(Debug)]
pub(super) struct Allowance {
    #[expect(dead_code, reason = "shown: each is an algorithm of its own")]
    number: u64,
    units: u64,
    span: Micros,
}

static NUMBERS: AtomicU64 = AtomicU64::new(0);

impl Allowance {
    /// A limit counted like this.
    pub(super) fn limit(text: &str, units: u64) -> Limit {
        let limit = limit(text);
        let span = limit.period().length();
        let number = NUMBERS.fetch_add(1, Relaxed);
        limit.with_custom(Arc::new(Self { number, units, span }))
    }

    /// The end of the budget and what it has lost, as they count at `now`.
    fn at(&self, [ends, used]: CustomState, now: Now) -> (u64, u64) {
        let now = now.steady.as_micros();
        let fresh = now.saturating_add(self.span.get());
        if used == 0 || ends <= now { (fresh, 0) } else { (ends, used) }
    }
}

impl Algorithm for Allowance {
    type State = CustomState;

    fn capacity(&self) -> u64 {
        self.units
    }

    fn fresh(&self, _: Now) -> CustomState {
        [0, 0]
    }

    fn step(&self, mut state: CustomState, now: Now, cost: Cost) -> (Answer, CustomState) {
        let furthest = now.steady.saturating_add(self.span).saturating_add(self.span);
        if state[0] > furthest.as_micros() {
            state[0] = now.steady.saturating_add(self.span).as_micros();
        }
        let (ends, used) = self.at(state, now);
        let left = Micros::new(ends - now.steady.as_micros());
        let fits = cost.get() <= self.units.saturating_sub(used);
        let (outcome, used, next) = if cost.is_zero() {
            (Outcome::ALLOW, used, state)
        } else if fits {
            (Outcome::ALLOW, used + cost.get(), [ends, used + cost.get()])
        } else {
            let retry_after = (cost.get() <= self.units).then_some(left);
            (Outcome::Deny { retry_after }, used, state)
        };
        let reset_after = if used == 0 { Micros::ZERO } else { left };
        let answer = Answer { outcome, used, reset_after };
        (answer, next)
    }

    fn used(&self, state: &CustomState, now: Now) -> u64 {
        self.at(*state, now).1
    }

    fn admitted(&self, used: u64, now: Now) -> CustomState {
        match used {
            0 => self.fresh(now),
            used => [now.steady.saturating_add(self.span).as_micros(), used],
        }
    }

    fn refund(&self, state: CustomState, now: Now, cost: Cost) -> CustomState {
        let (ends, used) = self.at(state, now);
        match used.saturating_sub(cost.get()) {
            0 => self.fresh(now),
            used => [ends, used],
        }
    }

    fn is_fresh(&self, state: &CustomState, now: Now) -> bool {
        self.at(*state, now).1 == 0
    }
}

/// Every promise of a store holds for algorithms it has never seen.
// Proves: D1, L1
pub fn custom_algorithms_count_like_any_other<T: Store>(make: &impl Make<Store = T>) {
    let custom = Allowance::limit("5/min", 5);
    let rig = Rig::new(make);
    rig.pass(17 * S);
    assert_eq!(rig.admitted(&custom, 20), 5);
    rig.pass(20 * S);
    let denied = rig.take(&custom, 1);
    assert_eq!(denied.retry_after(), Some(std::time::Duration::from_secs(40)));
    assert_eq!(rig.take(&custom, 6).retry_after(), None);
    assert_eq!(rig.refund(&custom, 2).remaining(), 2);
    assert_eq!(rig.peek(&custom, 1).remaining(), 1);
    assert_eq!(rig.admitted(&custom, 20), 2);
    rig.pass(40 * S);
    assert_eq!(rig.admitted(&custom, 20), 5);
    assert_eq!(rig.reset(&custom).remaining(), 5);

    let narrow = limit("1/s");
    let both = [charge(&custom, 1), charge(&narrow, 1)];
    assert!(rig.charge(&both).is_allowed());
    assert!(!rig.charge(&both).is_allowed());
    assert_eq!(rig.left(&custom), 4, "a denied request changes nothing");

    let built_in = limit("10/min fixed_window");
    assert_eq!(rig.left(&built_in), 9, "carried over");
    assert!(rig.take(&built_in, 2).is_allowed());
    assert_eq!(rig.left(&custom), 2, "and back");
    let larger = Allowance::limit("5/min", 8);
    assert_eq!(rig.left(&larger), 5, "and to another of its kind");
}
