//! The law of each algorithm, recounted over every interval of what was admitted.
// Proves: D1

use tollgate_core::{AlgorithmName, Limit, Micros, Now, Period, Timestamp, Unit};
use tollgate_sim::arrivals::{Adversarial, Arrival, EdgeBursts, Poisson, Traffic, Uniform};

/// What was let pass.
#[derive(Clone, Copy, Debug)]
struct Admission {
    at: i128,
    cost: i128,
    delay: i128,
}

const ARRIVALS: usize = 500;
const SEEDS: u64 = 12;

/// Sends every kind of traffic through a limit and shows what passed to `law`.
fn for_every_traffic(limit: &Limit, seeds: u64, law: impl Fn(&[Admission])) {
    let period = limit.period();
    let traffic = Traffic {
        gap: Micros::new(period.length().get() / limit.amount() / 3 + 1),
        cost_max: limit.capacity().min(3),
        ..Traffic::default()
    };
    let mut passed = 0;
    for seed in 0..seeds {
        let streams: [Box<dyn Iterator<Item = Arrival>>; 4] = [
            Box::new(Uniform::new(seed, traffic)),
            Box::new(Poisson::new(seed, traffic)),
            Box::new(EdgeBursts::new(seed, traffic, period)),
            Box::new(Adversarial::new(seed, traffic, limit)),
        ];
        for stream in streams {
            let admissions = admitted(limit, stream.take(ARRIVALS));
            passed += admissions.len();
            law(&admissions);
        }
    }
    assert!(passed > ARRIVALS / 2, "{limit} lets almost nothing pass");
}

fn admitted(limit: &Limit, arrivals: impl Iterator<Item = Arrival>) -> Vec<Admission> {
    let mut state = None;
    let mut admissions = Vec::new();
    for arrival in arrivals {
        let before = state.unwrap_or_else(|| limit.fresh(arrival.now));
        let (decision, next) = limit.step(before, arrival.now, arrival.cost);
        state = Some(next);
        if decision.is_allowed() {
            admissions.push(Admission {
                at: arrival.now.steady.as_micros().into(),
                cost: arrival.cost.get().into(),
                delay: Micros::from(decision.delay()).get().into(),
            });
        }
    }
    admissions
}

fn limits(name: AlgorithmName) -> Vec<Limit> {
    let periods = [(7, Unit::Millisecond), (1, Unit::Second), (1, Unit::Hour), (1, Unit::Month)];
    let mut limits = Vec::new();
    for (count, unit) in periods {
        for amount in [1, 3, 7, 40] {
            let limit = Period::new(count, unit)
                .and_then(|period| Limit::new(amount, period))
                .and_then(|limit| limit.with_algorithm(name));
            limits.extend(limit);
        }
    }
    limits
}

fn bursty_limits(name: AlgorithmName) -> Vec<Limit> {
    let mut limits = limits(name);
    let bursts = [1, 5, 13].into_iter().cycle();
    let bursty = limits.clone().into_iter().zip(bursts);
    limits.extend(bursty.filter_map(|(limit, burst)| limit.with_burst(burst).ok()));
    limits
}

fn fixed_window(seeds: u64) {
    for limit in limits(AlgorithmName::FixedWindow) {
        for_every_traffic(&limit, seeds, |admissions| {
            for admission in admissions {
                let window = window_of(&limit, admission.at);
                let inside = admissions.iter().filter(|a| window_of(&limit, a.at) == window);
                let total: i128 = inside.map(|a| a.cost).sum();
                assert!(total <= limit.amount().into(), "{limit}: {total} in {window}");
            }
        });
    }
}

fn window_of(limit: &Limit, at: i128) -> u64 {
    limit.period().window_at(timestamp(at))
}

fn timestamp(micros: i128) -> Timestamp {
    Timestamp::from_micros(u64::try_from(micros).unwrap_or(0))
}

/// At every admission: current + ⌊previous · (share of the window ahead)⌋ ≤ limit. At the first tick of a window the
/// share is that of the second, or a client that was admitted a period ago would still count.
fn sliding_window(seeds: u64) {
    for limit in limits(AlgorithmName::SlidingWindow) {
        for_every_traffic(&limit, seeds, |admissions| {
            for (place, admission) in admissions.iter().enumerate() {
                let window = window_of(&limit, admission.at);
                let start = i128::from(limit.period().start_of(window).as_micros());
                let end = i128::from(limit.period().start_of(window + 1).as_micros());
                let admitted_in = |number: u64| -> i128 {
                    let so_far = admissions.iter().take(place + 1);
                    let inside = so_far.filter(|a| window_of(&limit, a.at) == number);
                    inside.map(|a| a.cost).sum()
                };
                let (length, ahead) = (end - start, end - admission.at);
                let faded = admitted_in(window - 1) * ahead.min(length - 1) / length;
                let estimate = admitted_in(window) + faded;
                let most = i128::from(limit.amount());
                assert!(estimate <= most, "{limit}: {estimate} > {most}");
            }
        });
    }
}

fn sliding_log(seeds: u64) {
    for limit in limits(AlgorithmName::SlidingLog) {
        let period = i128::from(limit.period().length().get());
        for_every_traffic(&limit, seeds, |admissions| {
            for last in admissions {
                let inside =
                    admissions.iter().filter(|a| last.at - period < a.at && a.at <= last.at);
                let total: i128 = inside.map(|a| a.cost).sum();
                assert!(total <= limit.amount().into(), "{limit}: {total}");
            }
        });
    }
}

/// From any admission to any later one: at most burst + rate · t.
fn token_bucket(seeds: u64) {
    for limit in bursty_limits(AlgorithmName::TokenBucket) {
        let period = i128::from(limit.period().length().get());
        let (amount, burst) = (i128::from(limit.amount()), i128::from(limit.capacity()));
        for_every_traffic(&limit, seeds, |admissions| {
            for (place, first) in admissions.iter().enumerate() {
                let mut total = 0;
                for last in admissions.iter().skip(place) {
                    total += last.cost;
                    let most = burst * period + (last.at - first.at) * amount;
                    assert!(total * period <= most, "{limit}: {total} from {first:?} to {last:?}");
                }
            }
        });
    }
}

/// From any departure to any later one: never closer than the intervals of what leaves in between,
/// without drift; and nobody waits longer than the queue is long.
fn leaky_bucket(seeds: u64) {
    for limit in bursty_limits(AlgorithmName::LeakyBucket) {
        let period = i128::from(limit.period().length().get());
        let (amount, queue) = (i128::from(limit.amount()), i128::from(limit.capacity() - 1));
        for_every_traffic(&limit, seeds, |admissions| {
            for (place, first) in admissions.iter().enumerate() {
                let last_unit_waits = (first.delay - 1) * amount + (first.cost - 1) * period;
                assert!(last_unit_waits < queue * period, "{limit}: {first:?}");
                let mut busy = first.cost;
                for later in admissions.iter().skip(place + 1) {
                    let apart = (later.at + later.delay) - (first.at + first.delay);
                    assert!(apart >= busy * period / amount, "{limit}: {first:?} {later:?}");
                    busy += later.cost;
                }
            }
        });
    }
}

#[test]
fn fixed_window_admits_at_most_the_limit_in_every_aligned_window() {
    fixed_window(SEEDS);
}

#[test]
fn sliding_window_keeps_its_estimate_below_the_limit_at_every_admission() {
    sliding_window(SEEDS);
}

#[test]
fn sliding_log_admits_at_most_the_limit_in_every_interval() {
    sliding_log(SEEDS);
}

#[test]
fn token_bucket_admits_at_most_burst_and_rate_in_every_interval() {
    token_bucket(SEEDS);
}

#[test]
fn leaky_bucket_spaces_departures_evenly_in_every_interval() {
    leaky_bucket(SEEDS);
}

#[test]
#[ignore = "soak: run by cargo xtask soak"]
fn soak_every_law_in_every_interval() {
    let seeds = 100 * SEEDS;
    fixed_window(seeds);
    sliding_window(seeds);
    sliding_log(seeds);
    token_bucket(seeds);
    leaky_bucket(seeds);
}

/// The documented worst case: all of the previous window at its last tick, then as much as the
/// estimate lets pass until just before that tick leaves the interval.
#[test]
fn sliding_window_passes_twice_the_limit_in_an_unaligned_interval() {
    let limit: Limit = "10/s".parse().unwrap();
    let edge = Traffic::default().start.as_micros() + 1_000_000;
    let at = |micros: u64| Now::at(Timestamp::from_micros(micros));
    let mut state = limit.fresh(at(edge - 1));
    let mut passed = 0;
    // An interval of exactly one second: from the last tick of one window to the last but one tick
    // of the next.
    for micros in edge - 1..edge + 999_999 {
        loop {
            let (decision, next) = limit.step(state, at(micros), tollgate_core::Cost::ONE);
            state = next;
            if !decision.is_allowed() {
                break;
            }
            passed += 1;
        }
    }
    assert_eq!(passed, 20);
}

#[test]
fn sliding_window_never_passes_more_than_twice_the_limit_in_any_interval() {
    for limit in limits(AlgorithmName::SlidingWindow) {
        // Calendar months differ in length: the law speaks of intervals of the shortest.
        let length = match limit.period() == Period::MONTH {
            true => 28 * 86_400_000_000,
            false => i128::from(limit.period().length().get()),
        };
        for_every_traffic(&limit, SEEDS, |admissions| {
            for last in admissions {
                let inside =
                    admissions.iter().filter(|a| last.at - length < a.at && a.at <= last.at);
                let total: i128 = inside.map(|a| a.cost).sum();
                assert!(total <= 2 * i128::from(limit.amount()), "{limit}: {total}");
            }
        });
    }
}
