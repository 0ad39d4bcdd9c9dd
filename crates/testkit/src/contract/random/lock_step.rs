//! Two stores walk the same schedule and must answer alike.

use std::collections::VecDeque;

use tollgate_core::{
    Action, Charge, Clock, Cost, ImmediateStore, ManualClock, Now, Store, Verdict,
};

use super::{
    meter::Meter,
    op::{Ask, Op},
    schedule::{Elapsed, Schedule},
};
use crate::contract::Make;
use crate::{ReferenceStore, Rng, block_on, describe};

/// What a schedule met, so that a test can tell a rich one from a poor one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Coverage {
    /// Requests that passed.
    pub allowed: u64,
    /// Requests that were denied.
    pub denied: u64,
}

/// Two hundred thousand random steps: every field of every answer is that of the reference.
// Proves: D1, D2, D4, D5, D6, D7, D8, D10, D11, D14
pub fn random_schedules_agree_with_the_reference<S: Store>(make: &impl Make<Store = S>) {
    for seed in 0..10 {
        let Coverage { allowed, denied } = random(make, seed, 20_000);
        assert!(allowed > 4_000, "seed {seed}: only {allowed} allowed");
        assert!(denied > 2_000, "seed {seed}: only {denied} denied");
    }
}

/// The first of these, for stores that are far away.
// Proves: D1, D2, D4, D5, D6, D7, D8, D10, D11, D14
pub fn some_random_schedules_agree_with_the_reference<S: Store>(make: &impl Make<Store = S>) {
    let Coverage { allowed, denied } = random(make, 0, make.times(20_000));
    assert!(allowed > make.times(4_000), "only {allowed} allowed");
    assert!(denied > make.times(2_000), "only {denied} denied");
}

/// The same where elapsed time is set back now and then.
// Proves: D7
pub fn some_random_schedules_agree_when_elapsed_time_is_set_back<S: Store>(
    make: &impl Make<Store = S>,
) {
    walk(make, 1, make.times(10_000), Elapsed::MayRunBack);
}

/// Walks a random schedule on the store and on the reference.
///
/// # Panics
///
/// Where they differ, with the seed, the number of steps it takes, and what led there.
pub fn random<S: Store>(make: &impl Make<Store = S>, seed: u64, steps: u64) -> Coverage {
    walk(make, seed, steps, Elapsed::Steady)
}

fn walk<S: Store>(
    make: &impl Make<Store = S>,
    seed: u64,
    steps: u64,
    elapsed: Elapsed,
) -> Coverage {
    let mut walk = Walk::new(make, seed, elapsed);
    for step in 1..=steps {
        walk.step(step);
    }
    walk.coverage
}

struct Walk<S> {
    seed: u64,
    clock: ManualClock,
    store: S,
    reference: ReferenceStore<ManualClock>,
    keys: [Vec<u8>; 4],
    meters: Vec<Meter>,
    schedule: Schedule,
    last: Option<Verdict>,
    past: VecDeque<(u64, Op)>,
    /// Whether a clock was set since all counters were last looked at.
    has_stepped: bool,
    coverage: Coverage,
}

/// How many steps a failure report looks back.
const PAST_MAX: usize = 400;

impl<S: Store> Walk<S> {
    fn new(make: &impl Make<Store = S>, seed: u64, elapsed: Elapsed) -> Self {
        let clock = ManualClock::start();
        let mut rng = Rng::new(seed);
        let meters = Meter::all(&mut rng);
        let keys = [b"a".to_vec(), Vec::new(), b"ab".to_vec(), vec![0xfe; 1_000]];
        Self {
            seed,
            store: make.store(clock.clone()),
            reference: ReferenceStore::new(clock.clone()),
            clock,
            meters,
            schedule: Schedule::new(rng, keys.len(), elapsed),
            keys,
            last: None,
            past: VecDeque::new(),
            has_stepped: false,
            coverage: Coverage::default(),
        }
    }

    fn step(&mut self, step: u64) {
        let op = self.schedule.next(&self.meters, self.clock.now(), self.last.as_ref());
        self.past.push_back((step, op.clone()));
        if self.past.len() > PAST_MAX {
            self.past.pop_front();
        }
        match op {
            Op::Charge(asks) => self.both(step, None, &asks),
            Op::Peek(asks) => self.both(step, Some(Action::Peek), &asks),
            Op::Refund(asks) => self.both(step, Some(Action::Refund), &asks),
            Op::Reset(asks) => self.both(step, Some(Action::Reset), &asks),
            Op::Change { meter, limit } => {
                if std::mem::take(&mut self.has_stepped) {
                    self.settle();
                }
                self.meters[meter].change(limit);
            }
            Op::Advance(by) => self.clock.advance(by),
            Op::StepWall(by) => {
                self.forget_what_has_run_out();
                self.settle();
                self.has_stepped = true;
                self.clock.step_wall(by);
            }
            Op::SetBack(by) => {
                self.forget_what_has_run_out();
                self.settle();
                self.has_stepped = true;
                let Now { wall, steady } = self.clock.now();
                let (wall, steady) = (wall.saturating_sub(by), steady.saturating_sub(by));
                self.clock.set(Now { wall, steady });
            }
        }
    }

    fn both(&mut self, step: u64, action: Option<Action>, asks: &[Ask]) {
        let charge = |ask: &Ask| self.meters[ask.meter].charge(&self.keys[ask.key], ask.cost);
        let charges: Vec<Charge<'_>> = asks.iter().map(charge).collect();
        let (given, expected) = match action {
            None => (block_on(self.store.charge(&charges)), self.reference.charge_now(&charges)),
            Some(action) => (
                block_on(self.store.inspect(action, &charges)),
                self.reference.inspect_now(action, &charges),
            ),
        };
        let given = given.expect("the store answers");
        let is_same = given.decisions() == expected.decisions()
            && given.binding_index() == expected.binding_index();
        assert!(is_same, "{}", self.report(step, asks, &given, &expected));
        if action.is_none() {
            let passed = u64::from(given.is_allowed());
            self.coverage.allowed += passed;
            self.coverage.denied += 1 - passed;
        }
        self.last = Some(given);
    }

    /// Lets every counter go over to the limit and the time now in force. A store may know less of a
    /// former limit than the reference does, which shows only if a clock was set back meanwhile.
    fn settle(&self) {
        for (meter, values) in
            self.meters.iter().flat_map(|it| self.keys.iter().map(move |key| (it, key)))
        {
            let look = [meter.charge(values, 0)];
            block_on(self.store.charge(&look)).expect("the store answers");
            self.reference.charge_now(&look);
        }
    }

    /// Stores may forget what has run out or keep it until the place is needed. Before a clock is set
    /// back, which could bring it to life again, it is reset, so that both are right.
    fn forget_what_has_run_out(&self) {
        for meter in &self.meters {
            for (limit, values) in
                meter.limits().flat_map(|limit| self.keys.iter().map(move |key| (limit, key)))
            {
                let key = meter.key(values);
                if !self.reference.is_live(key, limit.period()) {
                    let charge = [Charge::new(key, limit, Cost::ZERO)];
                    let reset = block_on(self.store.inspect(Action::Reset, &charge));
                    reset.expect("the store answers");
                    self.reference.inspect_now(Action::Reset, &charge);
                }
            }
        }
    }

    fn report(&self, step: u64, asks: &[Ask], given: &Verdict, expected: &Verdict) -> String {
        let mut lines = vec![format!(
            "differs from the reference: random(make, {}, {step}) is the shortest run",
            self.seed
        )];
        for (step, op) in &self.past {
            if op.concerns(asks) {
                lines.push(match op {
                    Op::Change { meter, limit } => {
                        format!("{step}: meter {meter} is now {}", describe(limit))
                    }
                    op => format!("{step}: {op:?}"),
                });
            }
        }
        for ask in asks {
            let limit = describe(self.meters[ask.meter].limit());
            lines.push(format!("meter {}: {limit}", ask.meter));
        }
        lines.push(format!("at {:?}", self.clock.now()));
        lines.push(format!("store:     {:?}", given.decisions()));
        lines.push(format!("reference: {:?}", expected.decisions()));
        lines.join("\n")
    }
}
