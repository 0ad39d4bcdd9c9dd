//! What a lone client sees that comes back exactly when it is told to.
// Proves: D1, D6

use tollgate_core::{
    AlgorithmName, Bands, Cost, Limit, Micros, Now, Period, Timestamp, Unit, Verdict,
};
use tollgate_sim::{Rng, arrivals::Traffic, limits};

const CLIENTS: u64 = 600;
const REQUESTS: u64 = 60;

/// A limit with room for a single client: from one unit to a thousand, in every kind of period.
fn any_limit(rng: &mut Rng, name: AlgorithmName) -> Limit {
    let longest = [
        (Unit::Millisecond, 900),
        (Unit::Second, 90),
        (Unit::Minute, 90),
        (Unit::Hour, 30),
        (Unit::Day, 9),
        (Unit::Week, 3),
        (Unit::Month, 4),
    ];
    let (unit, most) = rng.pick(&longest);
    let count = [1, rng.between(1, most)][usize::from(rng.one_in(2))];
    let amount = [rng.between(1, 5), rng.between(1, 1_000)][usize::from(rng.one_in(2))];
    let limit = Limit::new(amount, Period::new(count, unit).unwrap()).unwrap();
    let limit = limit.with_algorithm(name).unwrap();
    if rng.one_in(4) && name != AlgorithmName::SlidingLog {
        let bands = Bands::new(80, rng.pick(&[110, 150, 300])).unwrap();
        return limit.with_bands(bands).unwrap();
    }
    limit
}

/// How long the aligned window of a moment is: months differ.
fn window_length(limit: &Limit, at: Timestamp) -> Micros {
    let (period, window) = (limit.period(), limit.period().window_at(at));
    period.start_of(window + 1).since(period.start_of(window))
}

/// Where clients begin: anywhere, at the first tick of a window, and at its last.
fn first_moment(rng: &mut Rng, limit: &Limit) -> Timestamp {
    let period = limit.period();
    let start = Traffic::default().start;
    let somewhere = start.saturating_add(Micros::new(rng.below(2 * period.length().get())));
    let edge = period.start_of(period.window_at(somewhere) + 1);
    rng.pick(&[somewhere, edge, edge.saturating_sub(Micros::new(1))])
}

/// The longest wait is a period, and each is exact to the tick: a tick earlier is denied.
#[test]
fn a_lone_client_of_cost_one_never_waits_longer_than_the_period() {
    for name in AlgorithmName::ALL {
        let mut waits = 0;
        for seed in 0..CLIENTS {
            let mut rng = Rng::new(seed);
            let limit = any_limit(&mut rng, name);
            let mut at = first_moment(&mut rng, &limit);
            let mut state = limit.fresh(Now::at(at));
            // Some clients use up the limit at once, some ask at random moments, some only when told.
            let is_eager = rng.one_in(2);
            if is_eager {
                let all = Cost::new(limit.law().capacity());
                (_, state) = limit.step(state, Now::at(at), all);
            }
            let idle = limit.period().length().get() / limit.amount().min(10) + 1;
            for _ in 0..REQUESTS {
                let (decision, next) = limit.step(state, Now::at(at), Cost::ONE);
                state = next;
                if decision.is_allowed() {
                    let pause = rng.below(idle) * rng.below(2) * u64::from(!is_eager);
                    at = at.saturating_add(Micros::new(pause));
                    continue;
                }
                waits += 1;
                let wait = Micros::from(decision.retry_after().unwrap());
                let longest = match name {
                    AlgorithmName::FixedWindow | AlgorithmName::SlidingWindow => {
                        window_length(&limit, at)
                    }
                    _ => limit.period().length(),
                };
                assert!(wait <= longest, "seed {seed}: {limit:?}: {wait} > {longest} at {at:?}");
                let before = at.saturating_add(wait.saturating_sub(Micros::new(1)));
                let (early, _) = limit.step(state.clone(), Now::at(before), Cost::ONE);
                assert!(!early.is_allowed(), "seed {seed}: {limit:?} a tick early");
                at = at.saturating_add(wait);
                let (on_time, _) = limit.step(state.clone(), Now::at(at), Cost::ONE);
                assert!(on_time.is_allowed(), "seed {seed}: {limit:?} at the moment it was told");
            }
        }
        assert!(waits > CLIENTS, "{name:?}: only {waits} waits");
    }
}

/// What a client of the default algorithm was once told to wait: 86 minutes for `1/h`.
#[test]
fn one_an_hour_is_one_an_hour() {
    for (text, longest_s) in [("1/h", 3_600), ("3/min", 60), ("5/15min", 900), ("1/day", 86_400)] {
        let limit: Limit = text.parse().unwrap();
        let start = Traffic::default().start;
        for elapsed_s in (0..longest_s).step_by(7) {
            let now = Now::at(start.saturating_add(Micros::from_secs(elapsed_s)));
            let (_, state) = limit.step(limit.fresh(now), now, Cost::new(limit.capacity()));
            let (denied, _) = limit.step(state, now, Cost::ONE);
            let wait = denied.retry_after().unwrap();
            assert!(wait <= std::time::Duration::from_secs(longest_s), "{text}: {wait:?}");
        }
    }
}

/// A client that trusts the reset of a denial is not denied again: on every limit of a request, and on the limit shown.
#[test]
fn the_reset_of_a_denial_is_never_before_the_promised_moment() {
    let mut denials = 0;
    for seed in 0..20_000 {
        let mut rng = Rng::new(seed);
        let count = rng.between(1, 4);
        let limits: Vec<Limit> = (0..count)
            .map(|_| {
                let name = rng.pick(&AlgorithmName::ALL);
                limits::small(&mut rng, name).unwrap()
            })
            .collect();
        let mut at = Traffic::default().start;
        let mut states: Vec<_> = limits.iter().map(|limit| limit.fresh(Now::at(at))).collect();
        for _ in 0..8 {
            let now = Now::at(at);
            let cost = Cost::new(rng.between(1, 12));
            let (decisions, next): (Vec<_>, Vec<_>) = limits
                .iter()
                .zip(states.clone())
                .map(|(limit, state)| limit.step(state, now, cost))
                .unzip();
            let verdict = Verdict::of(decisions, now);
            let denied = verdict.decisions().iter().filter(|decision| !decision.is_allowed());
            for decision in denied {
                denials += 1;
                let wait = decision.retry_after().unwrap_or_default();
                assert!(decision.reset_after() >= wait, "seed {seed}: {decision:?}");
            }
            if verdict.is_allowed() {
                states = next;
            } else {
                let shown = verdict.binding();
                let longest = verdict.decisions().iter().filter_map(|it| it.retry_after()).max();
                assert!(shown.retry_after().is_none() || Some(shown.reset_after()) >= longest);
            }
            at = at.saturating_add(Micros::new(rng.below(2_000_000) * rng.below(2)));
        }
    }
    assert!(denials > 10_000, "only {denials} denials");
}
