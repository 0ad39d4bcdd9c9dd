//! The worked examples of `sim` through the scripts, on time that is told to them.
// Proves: D1, D2, D6, D7, D8, D10, D11, D14

use tollgate_core::{Action, Charge, Clock, Cost, CounterKey, Decision, ManualClock, Now, RuleId};
use tollgate_sim::{
    golden::{self, Act, Vector},
    model::ModelAnswer,
};
use tollgate_testkit::{
    contract::Rig,
    limit,
    redis::{Cluster, Redis},
};

use crate::common;

/// Tells the story of a vector to the store, asking through `door`.
fn replay<S: tollgate_core::Store>(
    vector: &Vector,
    rig: &Rig<S>,
    door: impl Fn(Charge<'_>) -> Decision,
) {
    let clock = &rig.clock;
    let (mut limit, mut former) = (vector.limit.clone(), Vec::new());
    clock.set(Now::at(vector.start));
    let key = CounterKey::new(RuleId::new(1), vector.name.as_bytes());
    for step in &vector.steps {
        clock.set(step.now(clock.now()));
        let ask = Charge::new(key, &limit, Cost::ZERO).replacing(&former);
        match &step.act {
            Act::Charge { cost, answer } => {
                let given = ModelAnswer::from(door(ask.with_cost(*cost)));
                assert_eq!(given, *answer, "golden/{}.txt, line {}", vector.name, step.line);
            }
            Act::Refund { cost } => {
                rig.inspect(Action::Refund, &[ask.with_cost(*cost)]);
            }
            Act::Replace { limit: next } => {
                former.insert(0, std::mem::replace(&mut limit, next.clone()));
            }
        }
    }
}

#[test]
fn golden_vectors_alone() {
    let server = Redis::start();
    let urls = [server.url()];
    for vector in golden::load().unwrap() {
        let rig = Rig::new(&|clock: ManualClock| common::on_virtual_time(&urls, clock));
        replay(&vector, &rig, |charge| {
            let peeked = *rig.inspect(Action::Peek, &[charge]).binding();
            let given = *rig.charge(&[charge]).binding();
            assert_eq!(peeked, given, "a peek says what charging answers");
            given
        });
    }
}

/// Beside a limit that never denies, in a slot of its own, so that every request crosses slots.
#[test]
fn golden_vectors_together_with_another_limit_in_a_cluster() {
    let free = limit("9007199254740000/month");
    let urls = Cluster::shared().urls();
    for vector in golden::load().unwrap() {
        let rig = Rig::new(&|clock: ManualClock| common::on_virtual_time(&urls, clock));
        let key = CounterKey::new(RuleId::new(2), b"free");
        replay(&vector, &rig, |ask| {
            let verdict = rig.charge(&[Charge::new(key, &free, Cost::ONE), ask]);
            verdict.decisions()[1]
        });
    }
}
