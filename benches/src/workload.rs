//! What is asked: keys as text, in an order drawn beforehand, and the limit that everybody is given.

use std::time::Duration;

use rand::{Rng as _, SeedableRng as _, rngs::SmallRng};
use rand_distr::Zipf;

/// The exponent of the skewed order, the usual one of key-value benchmarks.
pub(crate) const ZIPF_EXPONENT: f64 = 0.99;

/// At least one piece of a sample.
const REQUESTS_MIN: usize = 4_096;
const REQUESTS_MAX: usize = 1 << 21;

/// Coprime to every number of keys used here, so that the frequent keys lie scattered.
const SPREAD: usize = 2_654_435_761;

#[derive(Debug)]
pub(crate) struct Request {
    /// A `String`, since governor asks for a reference to the type it stores.
    pub(crate) key: String,
    pub(crate) index: usize,
}

impl Request {
    pub(crate) fn new(index: usize) -> Self {
        Self { key: format!("user:{index}"), index }
    }
}

/// How often which key is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skew {
    Uniform,
    Zipf,
}

impl Skew {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Zipf => "Zipf",
        }
    }
}

/// Requests in the order drawn, about as many as keys.
///
/// Each key's text lies next to that of the request before it: whoever asks a limiter has just read
/// the key from a socket or a header, so it is near. The cache misses that are measured are those of
/// the limiter.
pub(crate) fn draw(keys: usize, skew: Skew, seed: u64) -> Vec<Request> {
    let count = keys.next_power_of_two().clamp(REQUESTS_MIN, REQUESTS_MAX);
    let mut random = SmallRng::seed_from_u64(seed);
    match skew {
        Skew::Uniform => (0..count).map(|_| Request::new(random.random_range(0..keys))).collect(),
        Skew::Zipf => {
            let ranks = Zipf::new(keys as f64, ZIPF_EXPONENT).expect("at least one key");
            (0..count)
                .map(|_| random.sample(ranks) as usize)
                .map(|rank| Request::new(rank.wrapping_mul(SPREAD) % keys))
                .collect()
        }
    }
}

/// So much that next to every request passes and has to be written down, and refilled so slowly that
/// a counter still counts something when its key comes again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quota {
    pub(crate) amount: u32,
    pub(crate) period: Duration,
    pub(crate) burst: u32,
}

/// Keys that come again within a fraction of a millisecond.
const FEW: usize = 1_000;

impl Quota {
    pub(crate) const fn for_keys(keys: usize) -> Self {
        if keys <= FEW {
            Self { amount: 1_000, period: Duration::from_secs(1), burst: 4_000_000_000 }
        } else {
            Self { amount: 1_000, period: Duration::from_secs(24 * 60 * 60), burst: 2_000_000 }
        }
    }

    /// Time to earn one request.
    pub(crate) fn interval(self) -> Duration {
        self.period / self.amount
    }
}

#[cfg(test)]
mod tests {
    use super::{Request, Skew, draw};

    fn share_of_most_frequent(requests: &[Request], keys: usize) -> f64 {
        let mut counts = vec![0_usize; keys];
        for request in requests {
            counts[request.index] += 1;
        }
        *counts.iter().max().unwrap() as f64 / requests.len() as f64
    }

    #[test]
    fn the_same_seed_draws_the_same_order() {
        let indices = |seed| -> Vec<usize> {
            let requests = draw(1_000, Skew::Zipf, seed);
            requests.iter().map(|request| request.index).collect()
        };
        assert_eq!(indices(1), indices(1));
        assert_ne!(indices(1), indices(2));
    }

    #[test]
    fn zipf_is_skewed_and_uniform_is_not() {
        let share = |skew| share_of_most_frequent(&draw(1_000, skew, 1), 1_000);
        assert!(share(Skew::Uniform) < 0.01);
        assert!(share(Skew::Zipf) > 0.05);
    }

    #[test]
    fn one_key_is_always_the_same() {
        assert!(draw(1, Skew::Zipf, 1).iter().all(|request| request.key == "user:0"));
    }
}
