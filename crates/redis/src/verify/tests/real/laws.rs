//! Lawful traffic is never complained of, whoever reports what how late; twice as much is.
// Proves: C3

use std::sync::Arc;

use tollgate_core::{AlgorithmName, Clock as _, Cost, Limit, Micros, Now, Timestamp};
use tollgate_sim::{Rng, limits, model::Model};

use super::rig::{Desk, sampled};
use crate::{
    key::Key,
    verify::{Verifier, Watch},
};

const ALGORITHMS: [AlgorithmName; 4] = [
    AlgorithmName::FixedWindow,
    AlgorithmName::SlidingWindow,
    AlgorithmName::TokenBucket,
    AlgorithmName::LeakyBucket,
];

/// A node, and the moment from which it has its present lease.
struct Node {
    verifier: Verifier,
    watch: Option<Arc<Watch>>,
    epoch: u64,
    leased_at: Now,
}

impl Node {
    /// Tells of an admission: sometimes of one that Redis decided, sometimes of one from a lease.
    fn admits(&mut self, (key, limit): (&Key, &Limit), now: Now, rng: &mut Rng) {
        const LEASE_MAX: Micros = Micros::from_secs(2);
        if rng.one_in(2) {
            self.verifier.admitted(key, limit, 1, now);
            return;
        }
        let window = |at: Now| limit.period().window_at(at.wall);
        let is_over = now.steady.since(self.leased_at.steady) > LEASE_MAX
            || window(now) != window(self.leased_at);
        if is_over || rng.one_in(3) || self.watch.is_none() {
            self.watch = self.verifier.watch(key, limit);
            self.epoch += 1;
            self.leased_at = now;
            if let Some(watch) = &self.watch {
                watch.turn(self.epoch, Some(now));
            }
        }
        if let Some(watch) = &self.watch {
            watch.spent(self.epoch, 1);
        }
    }
}

/// Sends traffic that so many models admit together, and says what was complained of.
fn complaints(desk: &Desk, limit: &Limit, models: usize, rng: &mut Rng) -> u64 {
    let (key, _) = sampled(limit);
    let start = desk.clock.now();
    let mut models: Vec<Model> = (0..models).map(|_| Model::new(limit, start)).collect();
    let node =
        |_| Node { verifier: desk.node(), watch: None, epoch: 65_530, leased_at: Now::default() };
    let mut nodes: Vec<Node> = (0..3).map(node).collect();
    let period = limit.period().length().get();
    // Now tight, now wide; some reports are later than ten seconds.
    let step = rng.pick(&[period / 50, period / 10, period, 700_000]).max(1);
    let patience = rng.pick(&[5, 40]);
    for _ in 0..rng.between(50, 250) {
        desk.clock.advance(Micros::new(rng.between(0, step)));
        let now = desk.clock.now();
        for _ in 0..rng.between(0, 12) {
            for model in &mut models {
                if model.step(now, Cost::ONE).allowed {
                    let place = usize::try_from(rng.below(3)).unwrap();
                    nodes[place].admits((&key, limit), now, rng);
                }
            }
        }
        for node in &nodes {
            if rng.one_in(patience) {
                desk.report(&node.verifier);
            }
        }
    }
    nodes.iter().for_each(|node| desk.report(&node.verifier));
    nodes.iter().map(|node| node.verifier.totals()[1]).sum()
}

#[test]
fn what_the_law_admits_is_never_complained_of() {
    let desk = Desk::new();
    for seed in 0..60 {
        let rng = &mut Rng::new(seed);
        for name in ALGORITHMS {
            let limit = limits::small(rng, name).unwrap();
            let found = complaints(&desk, &limit, 1, rng);
            assert_eq!(found, 0, "seed {seed}: {limit} {name:?}");
        }
    }
}

/// Full load on two models for three windows, with reports about once a second; says what was complained of.
fn doubled(desk: &Desk, limit: &Limit, rng: &mut Rng) -> u64 {
    let (key, _) = sampled(limit);
    let start = desk.clock.now();
    let mut models = [(); 2].map(|()| Model::new(limit, start));
    let nodes = [(); 2].map(|()| desk.node());
    for tick in 0..300_u64 {
        desk.clock.advance(Micros::from_millis(100));
        let now = desk.clock.now();
        for model in &mut models {
            while model.step(now, Cost::ONE).allowed {
                let place = usize::from(rng.one_in(2));
                nodes[place].admitted(&key, limit, 1, now);
            }
        }
        if tick % 10 == rng.below(3) {
            nodes.iter().for_each(|node| desk.report(node));
        }
    }
    nodes.iter().map(|node| node.totals()[1]).sum()
}

#[test]
fn twice_as_much_is_complained_of() {
    let desk = Desk::new();
    let limit: Limit = "20/10s".parse().unwrap();
    for name in ALGORITHMS {
        let limit = limit.clone().with_algorithm(name).unwrap();
        for seed in 0..10 {
            let found = doubled(&desk, &limit, &mut Rng::new(seed));
            assert!(found >= 1, "seed {seed}: {name:?}");
        }
    }
}

/// The moments of tests begin where windows of all lengths do not.
#[test]
fn a_window_that_has_just_begun_weighs_the_one_before() {
    let desk = Desk::new();
    let limit: Limit = "100/min".parse().unwrap();
    let limit = limit.with_algorithm(AlgorithmName::SlidingWindow).unwrap();
    let (key, _) = sampled(&limit);
    let node = desk.node();
    let start = limit.period().start_of(limit.period().window_at(desk.clock.now().wall) + 1);
    let until = |at: Timestamp| at.since(desk.clock.now().wall);
    desk.clock.advance(until(start));
    node.admitted(&key, &limit, 100, desk.clock.now());
    desk.report(&node);
    assert_eq!(node.totals(), [1, 0]);
    // A quarter into the next window three quarters of the former still count.
    desk.clock.advance(Micros::from_secs(75));
    node.admitted(&key, &limit, 25, desk.clock.now());
    desk.report(&node);
    assert_eq!(node.totals(), [1, 0], "75 and 25 are 100");
    node.admitted(&key, &limit, 1, desk.clock.now());
    desk.report(&node);
    assert_eq!(node.totals(), [1, 1]);
    node.admitted(&key, &limit, 50, desk.clock.now());
    desk.report(&node);
    assert_eq!(node.totals(), [1, 1], "told once");
}
