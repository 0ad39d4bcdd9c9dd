//! The bound of the module's documentation, for many callers on schedules made at random; and one caller beside
//! a store that was asked directly.
// Proves: U4, C6

use std::{sync::Arc, time::Duration};

use tollgate_core::{
    Charge, Clock, Cost, CounterKey, ImmediateStore, Limit, ManualClock, RuleId, Timestamp,
};
use tollgate_memory::MemoryStore;
use tollgate_testkit::Rng;

use super::{KeyField, Local, ToldLimit, Whom, told::Weight};
use crate::{Check, facts::fingerprint};

const LIMITS: [&str; 10] = [
    "10/min fixed_window",
    "100/min fixed_window",
    "7/s fixed_window",
    "10/min",
    "100/min",
    "20/s sliding_log",
    "3/min sliding_log",
    "10/s burst 25",
    "60/min burst 4",
    "10/s leaky_bucket burst 12",
];

fn told(limit: &Limit) -> [ToldLimit; 1] {
    [ToldLimit {
        rule: "r".into(),
        per: limit.clone(),
        key: [KeyField::User].into(),
        whom: Whom::Everybody,
        weight: Weight::Fixed(1),
    }]
}

/// What passed, and when.
type Passed = Vec<(Timestamp, u64)>;

/// A server with `callers` callers, which goes away at some moment.
struct Fleet {
    clock: ManualClock,
    server: MemoryStore<ManualClock>,
    callers: Vec<Local>,
    before: Passed,
    after: Passed,
}

impl Fleet {
    fn new(callers: u64) -> Self {
        let clock = ManualClock::start();
        let caller = |_| Local::new(Arc::new(clock.clone()));
        Self {
            server: MemoryStore::with_capacity(1_000, clock.clone()),
            callers: (0..callers).map(caller).collect(),
            clock,
            before: Passed::new(),
            after: Passed::new(),
        }
    }

    /// Any caller asks the server, and learns.
    fn ask(&mut self, limit: &Limit, check: &Check<'_>, caller: usize) {
        let key = CounterKey::new(RuleId::default(), b"ann");
        let charge = Charge::new(key, limit, Cost::new(check.weight()));
        let now = self.clock.now().steady;
        if self.server.charge_now(&[charge]).is_allowed() {
            self.before.push((now, check.weight()));
        }
        self.tell(limit, check, caller);
    }

    fn tell(&self, limit: &Limit, check: &Check<'_>, caller: usize) {
        let local = &self.callers[caller];
        local.set_callers(u32::try_from(self.callers.len()).unwrap());
        let now = self.clock.now().steady;
        local.learn(check, fingerprint(check), &told(limit), now);
    }

    fn fall_back(&mut self, check: &Check<'_>, caller: usize) {
        let answer = self.callers[caller]
            .decide(check, fingerprint(check), self.clock.now().steady)
            .unwrap();
        if answer.is_allowed() {
            self.after.push((self.clock.now().steady, check.weight()));
        }
    }
}

/// The most that was in use at once, if what passed is counted by this limit.
fn peak(limit: &Limit, passed: &Passed) -> u64 {
    let period = limit.period();
    let used = |now: Timestamp, is_within: &dyn Fn(Timestamp) -> bool| -> u64 {
        let until_now = passed.iter().filter(|(at, _)| *at <= now && is_within(*at));
        until_now.map(|(_, cost)| cost).sum()
    };
    let at = |now: Timestamp| match limit.algorithm().as_str() {
        "sliding_log" => used(now, &|at| now.since(at) < period.length()),
        "token_bucket" | "leaky_bucket" => level(limit, passed, now),
        _ => used(now, &|at| period.window_at(at) == period.window_at(now)),
    };
    passed.iter().map(|(now, _)| at(*now)).max().unwrap_or(0)
}

/// How full a bucket is that all of it went into, rounded up to whole tokens.
fn level(limit: &Limit, passed: &Passed, now: Timestamp) -> u64 {
    let (amount, token) = (u128::from(limit.amount()), u128::from(limit.period().length().get()));
    let (mut level, mut last) = (0_u128, Timestamp::EPOCH);
    for (at, cost) in passed.iter().take_while(|(at, _)| *at <= now) {
        let leaked = amount * u128::from(at.since(last).get());
        level = level.saturating_sub(leaked) + u128::from(*cost) * token;
        last = *at;
    }
    u64::try_from(level.div_ceil(token)).unwrap()
}

fn run(seed: u64) {
    let mut rng = Rng::new(seed);
    let limit = tollgate_testkit::limit(rng.pick(&LIMITS));
    let callers = 1 + rng.below(12);
    let mut fleet = Fleet::new(callers);
    let ann = Check::new().user("ann");
    let pace = 1 + limit.period().length().get() / (1 + rng.below(200));
    let cut = rng.below(200);
    for caller in 0..fleet.callers.len() {
        fleet.tell(&limit, &ann, caller);
    }
    for step in 0..300 {
        fleet.clock.advance(Duration::from_micros(rng.below(pace)));
        let check = ann.clone().cost(1 + rng.below(2) * rng.below(3));
        let caller = rng.index(fleet.callers.len());
        if step < cut {
            fleet.ask(&limit, &check, caller);
        } else {
            fleet.fall_back(&check, caller);
        }
    }
    let parts = u32::try_from(callers).unwrap().try_into().unwrap();
    let extra = if limit.share(parts).is_none() { callers } else { 0 };
    let after = peak(&limit, &fleet.after);
    let most = limit.capacity() + extra;
    let story = format!("seed {seed}: {} of {callers} callers", tollgate_testkit::describe(&limit));
    assert!(after <= most, "{story}: {after} of {most} without a server");
    let all: Passed = fleet.before.iter().chain(&fleet.after).copied().collect();
    let most = 2 * limit.capacity() + extra;
    let cut = peak(&limit, &all);
    assert!(cut <= most, "{story}: {cut} of {most} over the cut");
}

#[test]
fn all_callers_together_admit_no_more_than_is_promised() {
    (0..1_000).for_each(run);
}

/// The callers use what there is: a bound that is kept by denying everything is none.
#[test]
fn busy_callers_use_their_parts_up() {
    for text in LIMITS {
        let limit = tollgate_testkit::limit(text);
        let mut fleet = Fleet::new(3);
        let ann = Check::new().user("ann");
        for caller in 0..3 {
            fleet.tell(&limit, &ann, caller);
            (0..200).for_each(|_| fleet.fall_back(&ann, caller));
        }
        let passed = peak(&limit, &fleet.after);
        assert_eq!(passed, limit.capacity() / 3 * 3, "{text}");
    }
}

#[test]
fn one_caller_decides_as_a_store_does() {
    for seed in 0..500 {
        let mut rng = Rng::new(seed);
        let clock = ManualClock::start();
        let local = Local::new(Arc::new(clock.clone()));
        let store = MemoryStore::with_capacity(1_000, clock.clone());
        let limits = [(); 2].map(|()| tollgate_testkit::limit(rng.pick(&LIMITS)));
        let told = [("one", &limits[0]), ("two", &limits[1])].map(|(rule, limit)| ToldLimit {
            rule: rule.into(),
            per: limit.clone(),
            key: [KeyField::User].into(),
            whom: Whom::Everybody,
            weight: Weight::Fixed(1),
        });
        for step in 0..300 {
            clock.advance(Duration::from_micros(rng.below(2_000_000)));
            let user = rng.pick(&["ann", "bob"]);
            let check = Check::new().user(user).cost(rng.below(4));
            local.learn(&check, fingerprint(&check), &told, clock.now().steady);
            let answer = local.decide(&check, fingerprint(&check), clock.now().steady).unwrap();
            let cost = Cost::new(check.weight());
            let charge = |rule, limit| {
                Charge::new(CounterKey::new(RuleId::new(rule), user.as_bytes()), limit, cost)
            };
            let verdict = store.charge_now(&[charge(1, &limits[0]), charge(2, &limits[1])]);
            let binding = verdict.binding();
            assert_eq!(
                (answer.is_allowed(), answer.remaining(), answer.reset_after()),
                (verdict.is_allowed(), Some(binding.remaining()), Some(binding.reset_after())),
                "seed {seed}, step {step}"
            );
            if !verdict.is_allowed() {
                assert_eq!(answer.retry_after(), binding.retry_after());
            }
        }
    }
}
