//! The model of a limit, whichever its algorithm.

use tollgate_core::{AlgorithmName, Band, Cost, Limit, Micros, Now};

use super::{
    answer::ModelAnswer, fixed_window::FixedWindow, leaky_bucket::LeakyBucket, moment::Moment,
    rate::Rate, recount::Recount, search::shortest_wait, sliding_log::SlidingLog,
    sliding_window::SlidingWindow, token_bucket::TokenBucket, window_events::WindowEvents,
};

/// One key under one limit, counted slowly.
///
/// ```
/// use tollgate_core::{Clock, Cost, Limit, ManualClock, Micros, AlgorithmName};
/// use tollgate_sim::model::Model;
///
/// let limit = "10/s".parse::<Limit>()?.with_algorithm(AlgorithmName::TokenBucket)?;
/// let clock = ManualClock::start();
/// let mut model = Model::new(&limit, clock.now());
/// model.charge(clock.now(), Cost::new(10));
///
/// let answer = model.ask(clock.now(), Cost::ONE);
/// assert_eq!(answer.retry_after, Some(Micros::from_millis(100)));
///
/// model.replace_limit(&"20/s".parse::<Limit>()?.with_algorithm(AlgorithmName::TokenBucket)?, clock.now());
/// assert!(model.ask(clock.now(), Cost::new(10)).allowed);
/// # Ok::<(), tollgate_core::LimitError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Model {
    limit: Limit,
    counter: Counter,
}

#[derive(Clone, Debug)]
enum Counter {
    Fixed(FixedWindow),
    Sliding(SlidingWindow),
    Log(SlidingLog),
    Token(TokenBucket),
    Leaky(LeakyBucket),
}

impl Model {
    /// The model of a key nobody has used.
    ///
    /// # Panics
    ///
    /// For a custom algorithm, of which nothing is known here.
    pub fn new(limit: &Limit, now: Now) -> Self {
        assert!(limit.algorithm() != AlgorithmName::Custom, "a custom algorithm has no model");
        Self { counter: Counter::fresh(limit, now.into()), limit: limit.clone() }
    }

    /// Answers like [`Model::ask`], and charges the cost where that is allowed.
    pub fn step(&mut self, now: Now, cost: Cost) -> ModelAnswer {
        self.settle(now);
        let at = Moment::from(now);
        let units = i128::from(cost.get());
        let counter = self.counter.as_recount();
        if cost.is_zero() {
            return self.allowed(at, 0);
        }
        if counter.fits(at, units) {
            let delay = counter.delay(at);
            self.counter.as_recount_mut().charge(at, units);
            return self.allowed(at, delay);
        }
        let wait = shortest_wait(|wait| counter.fits(at.after(wait), units)).map(Micros::new);
        let reset = micros(counter.reset_after(at));
        ModelAnswer {
            allowed: false,
            remaining: 0,
            // D6: a client that comes back at the reset is not denied again.
            reset_after: wait.map_or(reset, |wait| reset.max(wait)),
            retry_after: wait,
            delay: Micros::ZERO,
            band: Band::Denied,
        }
    }

    /// Notes an admission, whether it fits or not.
    pub fn charge(&mut self, now: Now, cost: Cost) {
        let units = i128::from(cost.get());
        self.counter.as_recount_mut().charge(now.into(), units);
    }

    /// Gives back what was admitted last and still counts.
    pub fn refund(&mut self, now: Now, cost: Cost) {
        self.settle(now);
        let units = i128::from(cost.get());
        self.counter.as_recount_mut().refund(now.into(), units);
    }

    /// D7: moves what lies more than one period in the future, as every question, refund and change does. Says whether
    /// there was any.
    pub fn settle(&mut self, now: Now) -> bool {
        self.counter.as_recount_mut().settle(now.into())
    }

    /// D14: goes on under another limit. Where both count alike the events stay; buckets keep the
    /// tokens that are missing; otherwise what is in use counts as admitted now. What a bucket takes over
    /// from another rate or algorithm is cut to what it holds and gains in one period.
    ///
    /// # Panics
    ///
    /// For a custom algorithm, as [`Model::new`].
    pub fn replace_limit(&mut self, limit: &Limit, now: Now) {
        self.settle(now);
        let at = Moment::from(now);
        let mut next = Self::new(limit, now);
        let capacity = hard_capacity(limit);
        let same_windows = self.limit.period() == limit.period();
        match (&mut next.counter, &self.counter) {
            (Counter::Fixed(new), Counter::Fixed(old)) if same_windows => {
                new.events = old.events.clone();
            }
            (Counter::Sliding(new), Counter::Sliding(old)) if same_windows => {
                new.events = old.events.clone();
            }
            (Counter::Log(new), Counter::Log(old)) if new.period == old.period => {
                *new = old.clone();
                new.capacity = capacity;
            }
            (Counter::Token(new), Counter::Token(old)) => {
                *new = old.clone();
                new.replace(Rate::new(limit, capacity), at);
            }
            (Counter::Leaky(new), Counter::Leaky(old)) => {
                *new = old.clone();
                new.replace(Rate::new(limit, capacity), at);
            }
            (new, _) => {
                let used = i128::from(self.used(now));
                new.as_recount_mut().inherit(at, used);
            }
        }
        *self = next;
    }

    /// Says whether `cost` would be allowed, and changes nothing.
    #[must_use]
    pub fn ask(&self, now: Now, cost: Cost) -> ModelAnswer {
        self.clone().step(now, cost)
    }

    /// Units in use; those of a clock that was ahead are counted whole.
    pub fn used(&self, now: Now) -> u64 {
        saturated(self.counter.as_recount().used(now.into()))
    }

    /// The limit now in force.
    pub const fn limit(&self) -> &Limit {
        &self.limit
    }

    fn allowed(&self, at: Moment, delay: i128) -> ModelAnswer {
        let counter = self.counter.as_recount();
        // Use is told in 64 bits; late requests on the largest bucket can see more than that missing.
        let used = i128::from(saturated(counter.used(at)));
        let promised = promised_capacity(&self.limit);
        ModelAnswer {
            allowed: true,
            remaining: saturated((promised - used).max(0)),
            reset_after: micros(counter.reset_after(at)),
            retry_after: Some(Micros::ZERO),
            delay: micros(delay),
            band: band(&self.limit, promised, used),
        }
    }
}

impl Counter {
    fn fresh(limit: &Limit, at: Moment) -> Self {
        let capacity = hard_capacity(limit);
        let windows = |earlier| WindowEvents::new(limit.period(), earlier, at);
        match limit.algorithm() {
            AlgorithmName::TokenBucket => {
                Self::Token(TokenBucket::new(Rate::new(limit, capacity), at, 0))
            }
            AlgorithmName::LeakyBucket => {
                Self::Leaky(LeakyBucket::new(Rate::new(limit, capacity), at, 0))
            }
            AlgorithmName::SlidingLog => {
                let period = i128::from(limit.period().length().get());
                Self::Log(SlidingLog::new(capacity, period))
            }
            AlgorithmName::FixedWindow => Self::Fixed(FixedWindow { capacity, events: windows(0) }),
            _ => Self::Sliding(SlidingWindow { capacity, events: windows(1) }),
        }
    }

    fn as_recount(&self) -> &dyn Recount {
        match self {
            Self::Fixed(counter) => counter,
            Self::Sliding(counter) => counter,
            Self::Log(counter) => counter,
            Self::Token(counter) => counter,
            Self::Leaky(counter) => counter,
        }
    }

    fn as_recount_mut(&mut self) -> &mut dyn Recount {
        match self {
            Self::Fixed(counter) => counter,
            Self::Sliding(counter) => counter,
            Self::Log(counter) => counter,
            Self::Token(counter) => counter,
            Self::Leaky(counter) => counter,
        }
    }
}

/// What the limit holds as written: the amount, the burst of a token bucket, one and the queue of a
/// leaky one.
fn promised_capacity(limit: &Limit) -> i128 {
    match (limit.algorithm(), limit.burst()) {
        (AlgorithmName::TokenBucket, Some(burst)) => burst.into(),
        (AlgorithmName::LeakyBucket, queue) => i128::from(queue.unwrap_or(0)) + 1,
        _ => limit.amount().into(),
    }
}

/// D10: where denials begin.
fn hard_capacity(limit: &Limit) -> i128 {
    promised_capacity(limit) * i128::from(limit.bands().hard_at()) / 100
}

fn band(limit: &Limit, promised: i128, used: i128) -> Band {
    if used > promised {
        Band::Soft
    } else if used * 100 >= promised * i128::from(limit.bands().warn_at()) {
        Band::Warn
    } else {
        Band::Normal
    }
}

fn micros(micros: i128) -> Micros {
    Micros::new(saturated(micros))
}

/// The nearest number that can be written in 64 bits.
fn saturated(number: i128) -> u64 {
    u64::try_from(number.max(0)).unwrap_or(u64::MAX)
}
