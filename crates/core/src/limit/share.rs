//! A limit cut in equal parts, for nodes or callers that cannot ask each other.

use std::num::NonZeroU32;

use super::Limit;
use crate::AlgorithmName;

impl Limit {
    /// One of `parts` equal parts: all of them together are at most the whole. None if a part would be less
    /// than one, or the algorithm is the user's own.
    ///
    /// ```
    /// use std::num::NonZeroU32;
    /// use tollgate_core::Limit;
    ///
    /// let limit: Limit = "100/min".parse()?;
    /// let part = |parts| limit.share(NonZeroU32::new(parts)?).map(|part| part.to_string());
    /// assert_eq!(part(3).as_deref(), Some("33/min"));
    /// assert_eq!(part(101), None);
    /// # Ok::<(), tollgate_core::LimitError>(())
    /// ```
    pub fn share(&self, parts: NonZeroU32) -> Option<Self> {
        let parts = u64::from(parts.get());
        let name = self.algorithm();
        if name == AlgorithmName::Custom {
            return None;
        }
        if parts == 1 {
            return Some(self.clone());
        }
        let part = |whole: u64| whole.checked_div(parts).filter(|part| *part > 0);
        #[cfg(mutant = "share-rounds-up")]
        let part = |whole: u64| Some(whole.div_ceil(parts));
        let share = Self::new(part(self.amount())?, self.period()).ok()?;
        let share = share.with_algorithm(name).ok()?;
        let share = match name {
            AlgorithmName::TokenBucket => share.with_burst(part(self.capacity())?).ok()?,
            AlgorithmName::LeakyBucket => {
                let queue = part(self.capacity())?.checked_sub(1)?;
                share.with_burst(queue).ok()?
            }
            _ => share,
        };
        share.with_bands(self.bands()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(per: &str, algorithm: AlgorithmName, burst: Option<u64>) -> Limit {
        let limit = per.parse::<Limit>().unwrap();
        let limit = limit.with_algorithm(algorithm).unwrap();
        burst.map_or(limit.clone(), |burst| limit.with_burst(burst).unwrap())
    }

    // Proves: C6
    #[test]
    fn the_shares_of_all_are_at_most_the_whole() {
        let limits = [
            limit("10/min", AlgorithmName::SlidingWindow, None),
            limit("7/h", AlgorithmName::FixedWindow, None),
            limit("100/s", AlgorithmName::TokenBucket, Some(33)),
            limit("5/s", AlgorithmName::LeakyBucket, Some(9)),
            limit("9/min", AlgorithmName::SlidingLog, None),
        ];
        for limit in limits {
            for parts in 1..20 {
                let share = limit.share(NonZeroU32::new(parts).unwrap());
                let part = share.as_ref().map_or(0, Limit::capacity);
                let all = part.saturating_mul(u64::from(parts));
                assert!(all <= limit.capacity(), "{limit} in {parts}");
                let rate = share.as_ref().map_or(0, Limit::amount);
                let all = rate.saturating_mul(u64::from(parts));
                assert!(all <= limit.amount(), "{limit} in {parts}");
                if let Some(share) = share {
                    assert_eq!(
                        (share.algorithm(), share.period()),
                        (limit.algorithm(), limit.period())
                    );
                }
            }
            assert_eq!(limit.share(NonZeroU32::MIN), Some(limit.clone()));
        }
    }
}
