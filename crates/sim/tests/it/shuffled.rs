//! Late threads: timestamps out of order and repeated.
// Proves: D1, D7

use tollgate_core::{AlgorithmName, Limit, Micros, Now, Period, Timestamp};
use tollgate_sim::arrivals::{Poisson, Shuffled, Traffic, Uniform};

/// What passed, by the key's own time, which never runs backwards.
#[derive(Clone, Copy, Debug)]
struct Admission {
    at: Timestamp,
    cost: u64,
    leaves: Timestamp,
}

fn admitted_shuffled(limit: &Limit, seed: u64) -> Vec<Admission> {
    let gap = Micros::new(limit.period().length().get() / 40);
    let traffic = Traffic { gap, cost_max: limit.capacity().min(3), ..Traffic::default() };
    let uniform = Shuffled::new(seed, Uniform::new(seed, traffic)).take(200);
    let poisson =
        Traffic { start: traffic.start.saturating_add(Micros::new(gap.get() * 500)), ..traffic };
    let poisson = Shuffled::new(seed, Poisson::new(seed, poisson)).take(200);
    let mut state = limit.fresh(Now::at(traffic.start));
    let mut own_time = traffic.start;
    let mut admissions = Vec::new();
    for arrival in uniform.chain(poisson) {
        let (decision, next) = limit.step(state, arrival.now, arrival.cost);
        state = next;
        if decision.is_allowed() {
            own_time = own_time.max(arrival.now.steady);
            let leaves = arrival.now.steady.saturating_add(decision.delay().into());
            let cost = arrival.cost.get();
            admissions.push(Admission { at: own_time, cost, leaves });
        }
    }
    admissions
}

fn shuffled_limits(name: AlgorithmName) -> impl Iterator<Item = Limit> {
    [1, 4, 11, 30].into_iter().flat_map(move |amount| {
        Limit::new(amount, Period::MINUTE).and_then(|limit| limit.with_algorithm(name))
    })
}

#[test]
fn shuffled_timestamps_never_exceed_the_window_laws() {
    for limit in shuffled_limits(AlgorithmName::FixedWindow)
        .chain(shuffled_limits(AlgorithmName::SlidingWindow))
    {
        for seed in 0..40 {
            let admissions = admitted_shuffled(&limit, seed);
            let window = |at| limit.period().window_at(at);
            for last in &admissions {
                let inside =
                    admissions.iter().filter(|admission| window(admission.at) == window(last.at));
                let total: u64 = inside.map(|admission| admission.cost).sum();
                assert!(total <= limit.amount(), "{limit} {total} seed {seed}");
            }
        }
    }
}

#[test]
fn shuffled_timestamps_never_exceed_the_log_law() {
    for limit in shuffled_limits(AlgorithmName::SlidingLog) {
        for seed in 0..40 {
            let admissions = admitted_shuffled(&limit, seed);
            for last in &admissions {
                let inside = admissions
                    .iter()
                    .filter(|a| a.at <= last.at && last.at.since(a.at) < limit.period().length());
                let total: u64 = inside.map(|admission| admission.cost).sum();
                assert!(total <= limit.amount(), "{limit} {total} seed {seed}");
            }
        }
    }
}

#[test]
fn shuffled_timestamps_never_exceed_the_bucket_laws() {
    for limit in shuffled_limits(AlgorithmName::TokenBucket)
        .chain(shuffled_limits(AlgorithmName::LeakyBucket))
    {
        for seed in 0..40 {
            let admissions = admitted_shuffled(&limit, seed);
            for place in 0..admissions.len() {
                assert_bucket_law(&limit, &admissions[place..]);
            }
        }
    }
}

/// From the first of these admissions to each later one.
fn assert_bucket_law(limit: &Limit, admissions: &[Admission]) {
    let Some((first, later)) = admissions.split_first() else {
        return;
    };
    let period = u128::from(limit.period().length().get());
    let (amount, capacity) = (u128::from(limit.amount()), u128::from(limit.capacity()));
    let mut total = u128::from(first.cost);
    for last in later {
        let apart = u128::from(last.leaves.since(first.leaves).get());
        let is_spaced = apart >= total * period / amount;
        assert!(limit.algorithm() != AlgorithmName::LeakyBucket || is_spaced, "{limit} {last:?}");
        total += u128::from(last.cost);
        let gained = u128::from(last.at.since(first.at).get()) * amount;
        assert!(total * period <= capacity * period + gained, "{limit} {last:?}");
    }
}
