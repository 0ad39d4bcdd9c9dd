//! Any calls in any order: the scripts and the model give the same answers and hold the same.
// Proves: C3

use std::rc::Rc;

use tollgate_core::Limit;
use tollgate_sim::{
    Rng,
    pool::{Call, Pool, PoolModel, Record, Reply},
};
use tollgate_testkit::limit;

use super::lua_pool::{LuaPool, Scripts};

/// Limits that can be leased: coarse and fine rates, small and large windows.
pub(super) const LIMITS: [&str; 14] = [
    "10/s burst 10",
    "7/s burst 5",
    "1000/s burst 500",
    "10000/s burst 5000",
    "100/min burst 30",
    "3/s burst 100",
    "20/s fixed_window",
    "5/s fixed_window",
    "1000/s fixed_window",
    "100/min fixed_window",
    "20/s",
    "7/s",
    "1000/s",
    "100/min",
];

/// 2026-01-01T00:00:00Z.
pub(super) const START: u64 = 1_767_225_600_000_000;

/// A pool whose records may run out.
pub(super) trait Backed: Pool {
    fn is_there(&mut self, now: u64) -> bool;
}

impl Backed for LuaPool {
    fn is_there(&mut self, now: u64) -> bool {
        Self::is_there(self, now)
    }
}

/// Two pools side by side, and what its callers have said so far.
pub(super) struct Pair<P> {
    rng: Rng,
    limit: Limit,
    now: u64,
    model: PoolModel,
    scripts: P,
    callers: Vec<Caller>,
}

/// Somebody who calls, often as a holder would.
#[derive(Clone, Default)]
struct Caller {
    name: String,
    last: Call,
    granted: u64,
    known: u64,
}

impl<P: Backed> Pair<P> {
    pub(super) fn new(seed: u64, make: impl FnOnce(&Limit) -> P) -> Self {
        let mut rng = Rng::new(seed);
        let limit = limit(rng.pick(&LIMITS));
        let callers = rng.between(1, 4);
        let callers = ["a", "b", "c", "d"].into_iter().take(callers as usize);
        let caller = |name: &str| Caller { name: name.to_owned(), ..Caller::default() };
        Self {
            now: START + rng.below(3_000_000),
            model: PoolModel::default(),
            scripts: make(&limit),
            callers: callers.map(caller).collect(),
            limit,
            rng,
        }
    }

    /// Walks so many steps; says where they differ.
    pub(super) fn compare(&mut self, steps: u64) -> Result<(), String> {
        self.run(steps).map_err(|error| format!("{} at {}: {error}", self.limit, self.now))
    }

    fn run(&mut self, steps: u64) -> Result<(), String> {
        for _ in 0..steps {
            self.pass_time();
            let caller = self.rng.below(self.callers.len() as u64) as usize;
            match self.rng.below(8) {
                0 | 1 => self.charge(caller)?,
                _ => self.lease(caller)?,
            }
            let now = self.now;
            let expected = self.model.record(now, &self.limit);
            let held = self.scripts.record(now, &self.limit);
            if expected != held {
                return Err(format!("the model holds {expected:?}, the scripts {held:?}"));
            }
        }
        Ok(())
    }

    fn pass_time(&mut self) {
        let leases = self.model.record(self.now, &self.limit).leases;
        let ends: Vec<u64> = leases.iter().map(|lease| lease.2 - self.now).collect();
        let period = self.limit.period().length().get();
        let edge = period - self.now % period;
        self.now += match self.rng.below(12) {
            0..=3 => 0,
            4 => 1,
            5 => self.rng.below(period),
            6 => self.rng.below(2_000),
            7 => edge + self.rng.below(3) - 1,
            8 => self.rng.below(5 * period),
            9 | 10 if !ends.is_empty() => self.rng.pick(&ends) + self.rng.below(3) - 1,
            _ => self.rng.below(100_000),
        };
        // A record runs out only when nobody would notice.
        if !self.scripts.is_there(self.now) {
            let held = self.model.record(self.now, &self.limit);
            assert_eq!(held, Record::default());
            self.model.forget();
        }
    }

    fn charge(&mut self, caller: usize) -> Result<(), String> {
        let rng = &mut self.rng;
        let costs: Vec<u64> = (0..rng.between(1, 4)).map(|_| rng.between(1, 9)).collect();
        let since = if rng.one_in(4) { self.now - rng.below(2_000_000) } else { 0 };
        let caller = &mut self.callers[caller];
        caller.last.sequence += 1;
        let sequence = (caller.last.sequence - rng.below(8).saturating_sub(6)).max(1);
        let who = (caller.name.as_str(), sequence, since);
        let expected = self.model.charge(self.now, &self.limit, who, &costs);
        let got = self.scripts.charge(self.now, &self.limit, who, &costs);
        if expected != got {
            return Err(format!("{who:?} {costs:?}: {expected:?} expected, {got:?} got"));
        }
        Ok(())
    }

    fn lease(&mut self, caller: usize) -> Result<(), String> {
        let call = self.question(caller);
        let expected = self.model.lease(self.now, &self.limit, &call);
        let got = self.scripts.lease(self.now, &self.limit, &call);
        let held = self.model.record(self.now, &self.limit).leases;
        let is_held = held.iter().any(|lease| lease.0 == call.node);
        // How long nothing lasts is nobody's business.
        let [expected, got] = [expected, got].map(|mut reply| {
            if let (Reply::Heard(figures), false) = (&mut reply, is_held) {
                figures.life = 0;
            }
            reply
        });
        if expected != got {
            return Err(format!("{call:?}: {expected:?} expected, {got:?} got"));
        }
        let caller = &mut self.callers[caller];
        if let Reply::Heard(figures) = got
            && call.sequence >= caller.last.sequence
        {
            caller.granted = figures.granted;
            caller.known = figures.total;
            caller.last = call;
        }
        Ok(())
    }

    /// Mostly what a holder would say next; sometimes the same again, an older call, or nonsense.
    fn question(&mut self, caller: usize) -> Call {
        let (rng, caller) = (&mut self.rng, &self.callers[caller]);
        let capacity = self.limit.law().capacity();
        let mut call = caller.last.clone();
        call.node.clone_from(&caller.name);
        if rng.one_in(6) {
            return call;
        }
        call.sequence += 1;
        call.previous = caller.last.sequence;
        call.spent = rng.below(caller.granted + 1);
        call.returned = rng.below(caller.granted - call.spent + 1);
        call.want = rng.pick(&[0, 1, 2, capacity / 4, capacity, capacity * 2]);
        call.least = rng.pick(&[1, 1, 1, 3]);
        call.most = rng.pick(&[capacity, capacity / 2 + 1, 5]);
        call.life = self.limit.refresh().unwrap().get() * rng.pick(&[1, 4, 4, 20]);
        call.since = if rng.one_in(8) { self.now - rng.below(2_000_000) } else { 0 };
        call.known = 0;
        match rng.below(12) {
            0 => call.sequence = rng.below(caller.last.sequence.max(1)),
            1 => call.previous = rng.below(call.sequence),
            2 => call.spent = rng.below(2 * capacity),
            3 => call.returned = rng.below(2 * capacity),
            4 => {
                call.known = caller.known + rng.below(capacity);
                call.present = rng.below(capacity);
                call.before = rng.below(capacity);
                call.at = self.now - rng.below(2 * self.limit.period().length().get());
            }
            _ => {}
        }
        call
    }
}

pub(super) fn compare(seed: u64, scripts: &Rc<Scripts>) -> Result<(), String> {
    let mut pair = Pair::new(seed, |limit| LuaPool::new(scripts, limit));
    pair.compare(60).map_err(|error| format!("seed {seed}: {error}"))
}

#[test]
fn scripts_and_model_agree_on_any_calls() {
    let scripts = Scripts::new();
    for seed in 0..600 {
        compare(seed, &scripts).unwrap_or_else(|error| panic!("{error}"));
    }
}
