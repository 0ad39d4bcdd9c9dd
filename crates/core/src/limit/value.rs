//! The limit itself, valid by construction.

use std::sync::Arc;

use crate::{
    Algorithm, AlgorithmName, Answer, Band, Bands, Bucket, Cost, CustomState, Decision,
    FixedWindow, Law, LeakyBucket, LimitError, Micros, Now, Outcome, Period, SlidingLog,
    SlidingWindow, State, TokenBucket,
    math::{div_ceil, mul},
};

/// An amount per period with an algorithm, and perhaps a burst and thresholds. There is no invalid
/// limit: what cannot work is refused when it is built.
///
/// Without further ado a limit is a sliding window; a burst makes it a token bucket.
///
/// ```
/// use tollgate_core::{Limit, AlgorithmName};
///
/// let limit: Limit = "100/min".parse()?;
/// assert_eq!(limit.algorithm(), AlgorithmName::SlidingWindow);
/// assert_eq!(limit.to_string(), "100/min");
///
/// let bursty = limit.with_burst(20)?;
/// assert_eq!(bursty.algorithm(), AlgorithmName::TokenBucket);
/// assert_eq!(bursty.explain(), "20 at once, then one every 600 ms");
///
/// let refused = "5/s".parse::<Limit>()?.with_algorithm(AlgorithmName::FixedWindow)?.with_burst(10);
/// assert!(refused.unwrap_err().to_string().starts_with("burst 10 on fixed_window"));
/// # Ok::<(), tollgate_core::LimitError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Limit {
    law: Law,
    /// What the limit holds as promised; the law may allow more, up to `hard_at`.
    capacity: u64,
    /// Usage from which a request is marked.
    warn_from: u64,
    amount: u64,
    period: Period,
    burst: Option<u64>,
    chosen: Option<AlgorithmName>,
    bands: Bands,
}

impl Limit {
    /// The most limits one key may have, and so the most charges of one rule.
    pub const PER_KEY_MAX: usize = 16;

    /// `amount` per `period`, as a sliding window.
    ///
    /// # Errors
    ///
    /// [`LimitError::ZeroAmount`] for an amount of zero.
    pub fn new(amount: u64, period: Period) -> Result<Self, LimitError> {
        if amount == 0 {
            return Err(LimitError::ZeroAmount);
        }
        let law = Law::SlidingWindow(SlidingWindow::new(amount, period));
        let bands = Bands::default();
        let limit = Self {
            law,
            capacity: 0,
            warn_from: 0,
            amount,
            period,
            burst: None,
            chosen: None,
            bands,
        };
        limit.rebuilt()
    }

    /// The same limit counted by another algorithm.
    ///
    /// # Errors
    ///
    /// [`LimitError::BurstOnWindow`] if the limit has a burst and the algorithm has none,
    /// [`LimitError::LogTooLong`] for a sliding log above [`SlidingLog::AMOUNT_MAX`],
    /// [`LimitError::CustomByName`] for [`AlgorithmName::Custom`].
    pub fn with_algorithm(mut self, name: AlgorithmName) -> Result<Self, LimitError> {
        if name == AlgorithmName::Custom {
            return Err(LimitError::CustomByName);
        }
        self.chosen = Some(name);
        self.rebuilt()
    }

    /// The same limit with a burst: the capacity of a token bucket, the queue of a leaky bucket.
    ///
    /// # Errors
    ///
    /// [`LimitError::BurstOnWindow`] if the algorithm was chosen and has no burst,
    /// [`LimitError::ZeroBurst`] for a token bucket that could hold nothing.
    pub fn with_burst(mut self, burst: u64) -> Result<Self, LimitError> {
        self.burst = Some(burst);
        self.rebuilt()
    }

    /// The same limit with other thresholds.
    ///
    /// # Errors
    ///
    /// [`LimitError::Overflow`] or [`LimitError::LogTooLong`] if the limit at `hard_at` is too large.
    pub fn with_bands(mut self, bands: Bands) -> Result<Self, LimitError> {
        self.bands = bands;
        self.rebuilt()
    }

    /// The same limit counted by an algorithm of your own. How much it allows is its own affair, so a
    /// burst or a `hard_at` given before no longer counts.
    #[must_use]
    pub fn with_custom(mut self, algorithm: Arc<dyn Algorithm<State = CustomState>>) -> Self {
        self.capacity = algorithm.capacity();
        self.burst = None;
        self.bands = self.bands.without_soft();
        self.warn_from = percent_ceil(self.capacity, self.bands.warn_at());
        self.chosen = Some(AlgorithmName::Custom);
        self.law = Law::Custom(algorithm);
        self
    }

    fn rebuilt(mut self) -> Result<Self, LimitError> {
        let default = if self.burst.is_some() {
            AlgorithmName::TokenBucket
        } else {
            AlgorithmName::SlidingWindow
        };
        let name = self.chosen.unwrap_or(default);
        self.capacity = self.promised_capacity(name)?;
        let hard = u128::from(self.capacity).saturating_mul(u128::from(self.bands.hard_at())) / 100;
        let hard = u64::try_from(hard).map_err(|_| LimitError::Overflow {
            what: "the limit at hard_at",
            given: hard,
            max: u64::MAX,
        })?;
        let (amount, period) = (self.amount, self.period);
        self.law = match name {
            AlgorithmName::TokenBucket => {
                Law::TokenBucket(TokenBucket(Bucket::new(amount, period, hard)))
            }
            AlgorithmName::LeakyBucket => {
                Law::LeakyBucket(LeakyBucket(Bucket::new(amount, period, hard)))
            }
            AlgorithmName::FixedWindow => Law::FixedWindow(FixedWindow::new(hard, period)),
            AlgorithmName::SlidingWindow => Law::SlidingWindow(SlidingWindow::new(hard, period)),
            AlgorithmName::SlidingLog if hard > SlidingLog::AMOUNT_MAX => {
                let max = SlidingLog::AMOUNT_MAX;
                return Err(LimitError::LogTooLong { amount: hard, max });
            }
            AlgorithmName::SlidingLog => Law::SlidingLog(SlidingLog::new(hard, period.length())),
            AlgorithmName::Custom => {
                self.bands = self.bands.without_soft();
                self.law
            }
        };
        self.warn_from = percent_ceil(self.capacity, self.bands.warn_at());
        Ok(self)
    }

    fn promised_capacity(&self, name: AlgorithmName) -> Result<u64, LimitError> {
        match (name, self.burst) {
            (AlgorithmName::TokenBucket, Some(0)) => Err(LimitError::ZeroBurst),
            (AlgorithmName::TokenBucket, burst) => Ok(burst.unwrap_or(self.amount)),
            (AlgorithmName::LeakyBucket, burst) => {
                // One leaves at once, the burst may wait.
                let queue = burst.unwrap_or(0);
                queue.checked_add(1).ok_or_else(|| LimitError::Overflow {
                    what: "the burst of a leaky_bucket plus one",
                    given: u128::from(queue).saturating_add(1),
                    max: u64::MAX,
                })
            }
            (AlgorithmName::Custom, None) => Ok(self.law.capacity()),
            (algorithm, Some(burst)) => Err(LimitError::BurstOnWindow { burst, algorithm }),
            (_, None) => Ok(self.amount),
        }
    }

    /// How much per period.
    pub const fn amount(&self) -> u64 {
        self.amount
    }

    /// Per how long.
    pub const fn period(&self) -> Period {
        self.period
    }

    /// The burst, if one was given.
    pub const fn burst(&self) -> Option<u64> {
        self.burst
    }

    /// How it is counted.
    pub const fn algorithm(&self) -> AlgorithmName {
        self.law.name()
    }

    /// The algorithm, if one was chosen by name.
    ///
    /// ```
    /// use tollgate_core::{AlgorithmName, Limit};
    ///
    /// let limit: Limit = "5/s".parse()?;
    /// assert_eq!(limit.chosen_algorithm(), None);
    /// let limit = limit.with_algorithm(AlgorithmName::FixedWindow)?;
    /// assert_eq!(limit.chosen_algorithm(), Some(AlgorithmName::FixedWindow));
    /// # Ok::<(), tollgate_core::LimitError>(())
    /// ```
    pub const fn chosen_algorithm(&self) -> Option<AlgorithmName> {
        self.chosen
    }

    /// The thresholds.
    pub const fn bands(&self) -> Bands {
        self.bands
    }

    /// The most that can be in use under the promise: the amount, or the capacity of the bucket.
    pub const fn capacity(&self) -> u64 {
        self.capacity
    }

    /// The algorithm with its numbers filled in, up to `hard_at`.
    #[inline]
    pub const fn law(&self) -> &Law {
        &self.law
    }

    /// The state of a key nobody has used.
    pub fn fresh(&self, now: Now) -> State {
        self.law.fresh(now)
    }

    /// Decides whether `cost` fits at `now`; see [`Algorithm::step`].
    pub fn step(&self, state: State, now: Now, cost: Cost) -> (Decision, State) {
        let (answer, state) = self.law.step(state, now, cost);
        (self.decide(answer), state)
    }

    /// What an answer of this limit's algorithm means to the caller.
    #[inline]
    pub fn decide(&self, answer: Answer) -> Decision {
        let mut reset_after = answer.reset_after;
        let (band, retry_after, delay) = match answer.outcome {
            Outcome::Allow { delay } => (self.band(answer.used), Micros::ZERO, delay),
            Outcome::Deny { retry_after } => {
                // A client that comes back at the reset must not be denied again.
                reset_after = reset_after.max(retry_after.unwrap_or_default());
                let retry_after = retry_after.unwrap_or(Micros::MAX);
                (Band::Denied, retry_after, Micros::ZERO)
            }
        };
        let remaining = match band {
            Band::Denied => 0,
            _ => self.capacity.saturating_sub(answer.used),
        };
        Decision { limit: self.capacity, remaining, reset_after, retry_after, delay, band }
    }

    #[inline]
    fn band(&self, used: u64) -> Band {
        if used > self.capacity {
            Band::Soft
        } else if used >= self.warn_from {
            Band::Warn
        } else {
            Band::Normal
        }
    }
}

/// Two limits are equal when they decide alike and are written alike.
impl PartialEq for Limit {
    fn eq(&self, other: &Self) -> bool {
        let custom = match (&self.law, &other.law) {
            (Law::Custom(this), Law::Custom(that)) => Arc::ptr_eq(this, that),
            (this, that) => this.name() == that.name(),
        };
        custom
            && (self.amount, self.period, self.burst, self.bands)
                == (other.amount, other.period, other.burst, other.bands)
    }
}

impl Eq for Limit {}

fn percent_ceil(of: u64, percent: u16) -> u64 {
    div_ceil(mul(of, u64::from(percent)), 100)
}
