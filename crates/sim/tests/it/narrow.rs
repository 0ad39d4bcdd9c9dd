//! The 64-bit step of a narrow bucket against the 128-bit step of any bucket.
// Proves: D2

use tollgate_core::{
    Algorithm, AlgorithmName, Answer, Bucket, BucketState, Cost, Law, Limit, LimitError, Now,
    Period, Unit,
};
use tollgate_sim::{Rng, arrivals::Traffic, limits};

/// Per algorithm.
const TRIES: u64 = 1_000_000;

#[test]
fn a_narrow_token_bucket_steps_like_a_wide_one() {
    try_all(AlgorithmName::TokenBucket);
}

#[test]
fn a_narrow_leaky_bucket_steps_like_a_wide_one() {
    try_all(AlgorithmName::LeakyBucket);
}

fn try_all(name: AlgorithmName) {
    let mut rng = Rng::new(64);
    let mut tally = Tally::default();
    while tally.tries < TRIES {
        let Ok(limit) = any_limit(&mut rng, name) else {
            continue;
        };
        match limit.law() {
            Law::TokenBucket(law) if law.bucket().is_narrow() => {
                let narrow = |debt, cost| law.step_narrow(debt, cost);
                tally.try_limit(&mut rng, law, law.bucket(), narrow);
            }
            Law::LeakyBucket(law) if law.bucket().is_narrow() => {
                let narrow = |debt, cost| law.step_narrow(debt, cost);
                tally.try_limit(&mut rng, law, law.bucket(), narrow);
            }
            _ => {}
        }
    }
    // Tries that never meet the interesting answers prove nothing.
    assert!(tally.allowed > TRIES / 5, "{tally:?}");
    assert!(tally.denied > TRIES / 5, "{tally:?}");
    assert!(tally.rounded > TRIES / 20, "{tally:?}");
    assert!(tally.large > TRIES / 20, "{tally:?}");
}

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    tries: u64,
    allowed: u64,
    denied: u64,
    /// What is in use is no whole number of tokens.
    rounded: u64,
    /// Bucket or period near the bound of what is narrow.
    large: u64,
}

impl Tally {
    fn try_limit(
        &mut self,
        rng: &mut Rng,
        wide: &impl Algorithm<State = BucketState>,
        bucket: &Bucket,
        narrow: impl Fn(u64, Cost) -> (Answer, u64),
    ) {
        let at = Traffic::default().start;
        let span_in_full = u128::from(bucket.capacity()) * u128::from(bucket.units_per_token());
        let is_within = span_in_full < u128::from(Bucket::NARROW_UNITS_MAX);
        assert!(is_within, "{bucket:?} is not narrow");
        for _ in 0..8 {
            let cost = any_cost(rng, bucket);
            let debt = any_debt(rng, bucket, cost);
            let full_at = bucket.units_at(at) + u128::from(debt);
            let state = BucketState { full_at, at };
            let (answer, next) = wide.step(state, Now::at(at), cost);
            let debt_after = next.full_at - bucket.units_at(at);
            let (narrow_answer, narrow_debt) = narrow(debt, cost);
            assert_eq!(narrow_answer, answer, "{bucket:?} {debt} {cost}");
            assert_eq!(u128::from(narrow_debt), debt_after, "{bucket:?} {debt} {cost}");
            self.tries += 1;
            self.allowed += u64::from(answer.outcome.is_allowed());
            self.denied += u64::from(!answer.outcome.is_allowed());
            self.rounded += u64::from(!narrow_debt.is_multiple_of(bucket.units_per_token()));
            self.large += u64::from(span(bucket) > Bucket::NARROW_UNITS_MAX / 8);
        }
    }
}

fn span(bucket: &Bucket) -> u64 {
    bucket.capacity() * bucket.units_per_token()
}

/// Limits of every size, and of sizes up to what is still narrow.
fn any_limit(rng: &mut Rng, name: AlgorithmName) -> Result<Limit, LimitError> {
    match rng.below(4) {
        0 => return limits::small(rng, name),
        1 => return limits::any(rng, name),
        _ => {}
    }
    let unit = rng.pick(&Unit::ALL);
    let period = Period::new(rng.between(1, 90), unit)?;
    let micros = period.length().get();
    let common = micros / rng.pick(&[1, 2, 3, 7, 60, 1_000, micros]).min(micros);
    let amount = common.saturating_mul(rng.between(1, Bucket::NARROW_AMOUNT_MAX + 1));
    let limit = Limit::new(amount, period)?.with_algorithm(name)?;
    let Law::TokenBucket(token) =
        limit.clone().with_algorithm(AlgorithmName::TokenBucket)?.law().clone()
    else {
        return Ok(limit);
    };
    // Some bursts are just too large: then the bucket is not narrow.
    let most = Bucket::NARROW_UNITS_MAX / token.bucket().units_per_token();
    let burst = match rng.below(4) {
        0 => most,
        1 => most.saturating_sub(rng.below(3)),
        _ => rng.below(most) >> rng.below(48),
    };
    limit.with_burst(burst)
}

fn any_cost(rng: &mut Rng, bucket: &Bucket) -> Cost {
    let capacity = bucket.capacity();
    Cost::new(match rng.below(10) {
        0 => 0,
        1 => capacity,
        2 => capacity.saturating_add(1),
        3 => rng.any_size(),
        4 | 5 => rng.below(capacity),
        6 => rng.below(capacity) >> rng.below(48),
        _ => 1,
    })
}

/// Debts of every size, often where the cost just fits or just does not.
fn any_debt(rng: &mut Rng, bucket: &Bucket, cost: Cost) -> u64 {
    let most = 4 * Bucket::NARROW_UNITS_MAX - 1;
    let units = cost.get().min(bucket.capacity()) * bucket.units_per_token();
    let edge = span(bucket) - units;
    let debt = match rng.below(12) {
        0 => 0,
        1 => most,
        2 => most - rng.below(100),
        3 => edge,
        4 => edge + 1,
        5 => edge.saturating_sub(rng.below(3)),
        6 => rng.below(most) >> rng.below(50),
        7 => bucket.units_per_token() * rng.below(bucket.capacity() + 1),
        8 => span(bucket) + rng.below(span(bucket)),
        _ => rng.below(span(bucket) + 1),
    };
    debt.min(most)
}
