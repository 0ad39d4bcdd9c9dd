//! An algorithm of any kind, and the state of any kind that goes with it.

use std::sync::Arc;

use super::{
    Algorithm, AlgorithmName, Answer, CustomState, FixedWindow, LeakyBucket, SlidingLog,
    SlidingWindow, TokenBucket,
};
use crate::{Cost, Now, State};

/// The algorithm of a limit with its numbers filled in.
///
/// ```
/// use tollgate_core::{Law, Limit};
///
/// let limit: Limit = "100/min".parse()?;
/// assert!(matches!(limit.law(), Law::SlidingWindow(_)));
/// assert_eq!(limit.law().capacity(), 100);
/// # Ok::<(), tollgate_core::LimitError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Law {
    /// See [`TokenBucket`].
    TokenBucket(TokenBucket),
    /// See [`LeakyBucket`].
    LeakyBucket(LeakyBucket),
    /// See [`FixedWindow`].
    FixedWindow(FixedWindow),
    /// See [`SlidingWindow`].
    SlidingWindow(SlidingWindow),
    /// See [`SlidingLog`].
    SlidingLog(SlidingLog),
    /// Brought by the user.
    Custom(Arc<dyn Algorithm<State = CustomState>>),
}

/// Runs one body for whichever algorithm this is.
macro_rules! with_algorithm {
    ($law:expr, $algorithm:ident => $body:expr) => {
        match $law {
            Law::TokenBucket($algorithm) => $body,
            Law::LeakyBucket($algorithm) => $body,
            Law::FixedWindow($algorithm) => $body,
            Law::SlidingWindow($algorithm) => $body,
            Law::SlidingLog($algorithm) => $body,
            Law::Custom($algorithm) => $body,
        }
    };
}

/// Runs one body for an algorithm and the state that is its own; a state of another kind, which a
/// store never pairs, counts as fresh.
macro_rules! with_state {
    ($law:expr, $state:expr, $now:expr, ($algorithm:ident, $inner:ident, $wrap:ident) => $body:expr) => {{
        macro_rules! arm {
            ($a:expr, $s:expr, $w:expr) => {{
                let ($algorithm, $inner, $wrap) = ($a, $s, $w);
                $body
            }};
        }
        match ($law, $state) {
            (Law::TokenBucket(a), State::Bucket(s)) => arm!(a, s, State::Bucket),
            (Law::LeakyBucket(a), State::Bucket(s)) => arm!(a, s, State::Bucket),
            (Law::FixedWindow(a), State::Fixed(s)) => arm!(a, s, State::Fixed),
            (Law::SlidingWindow(a), State::Sliding(s)) => arm!(a, s, State::Sliding),
            (Law::SlidingLog(a), State::Log(s)) => arm!(a, s, State::Log),
            (Law::Custom(a), State::Custom(s)) => arm!(a, s, State::Custom),
            (Law::TokenBucket(a), _) => arm!(a, a.fresh($now), State::Bucket),
            (Law::LeakyBucket(a), _) => arm!(a, a.fresh($now), State::Bucket),
            (Law::FixedWindow(a), _) => arm!(a, a.fresh($now), State::Fixed),
            (Law::SlidingWindow(a), _) => arm!(a, a.fresh($now), State::Sliding),
            (Law::SlidingLog(a), _) => arm!(a, a.fresh($now), State::Log),
            (Law::Custom(a), _) => arm!(a, a.fresh($now), State::Custom),
        }
    }};
}

impl Law {
    /// What the algorithm is called.
    pub const fn name(&self) -> AlgorithmName {
        match self {
            Self::TokenBucket(_) => AlgorithmName::TokenBucket,
            Self::LeakyBucket(_) => AlgorithmName::LeakyBucket,
            Self::FixedWindow(_) => AlgorithmName::FixedWindow,
            Self::SlidingWindow(_) => AlgorithmName::SlidingWindow,
            Self::SlidingLog(_) => AlgorithmName::SlidingLog,
            Self::Custom(_) => AlgorithmName::Custom,
        }
    }

    /// See [`Algorithm::capacity`].
    pub fn capacity(&self) -> u64 {
        with_algorithm!(self, algorithm => algorithm.capacity())
    }

    /// See [`Algorithm::fresh`].
    pub fn fresh(&self, now: Now) -> State {
        match self {
            Self::TokenBucket(bucket) => State::Bucket(bucket.fresh(now)),
            Self::LeakyBucket(bucket) => State::Bucket(bucket.fresh(now)),
            Self::FixedWindow(window) => State::Fixed(window.fresh(now)),
            Self::SlidingWindow(window) => State::Sliding(window.fresh(now)),
            Self::SlidingLog(log) => State::Log(log.fresh(now)),
            Self::Custom(custom) => State::Custom(custom.fresh(now)),
        }
    }

    /// See [`Algorithm::admitted`].
    pub fn admitted(&self, used: u64, now: Now) -> State {
        match self {
            Self::TokenBucket(bucket) => State::Bucket(bucket.admitted(used, now)),
            Self::LeakyBucket(bucket) => State::Bucket(bucket.admitted(used, now)),
            Self::FixedWindow(window) => State::Fixed(window.admitted(used, now)),
            Self::SlidingWindow(window) => State::Sliding(window.admitted(used, now)),
            Self::SlidingLog(log) => State::Log(log.admitted(used, now)),
            Self::Custom(custom) => State::Custom(custom.admitted(used, now)),
        }
    }

    /// See [`Algorithm::step`].
    pub fn step(&self, state: State, now: Now, cost: Cost) -> (Answer, State) {
        with_state!(self, state, now, (algorithm, inner, wrap) => {
            let (answer, next) = algorithm.step(inner, now, cost);
            (answer, wrap(next))
        })
    }

    /// See [`Algorithm::refund`].
    pub fn refund(&self, state: State, now: Now, cost: Cost) -> State {
        let state = self.rebased(state, now);
        with_state!(self, state, now, (algorithm, inner, wrap) => {
            wrap(algorithm.refund(inner, now, cost))
        })
    }

    /// See [`Algorithm::used`].
    pub fn used(&self, state: &State, now: Now) -> u64 {
        match (self, state) {
            (Self::TokenBucket(bucket), State::Bucket(state)) => bucket.used(state, now),
            (Self::LeakyBucket(bucket), State::Bucket(state)) => bucket.used(state, now),
            (Self::FixedWindow(window), State::Fixed(state)) => window.used(state, now),
            (Self::SlidingWindow(window), State::Sliding(state)) => window.used(state, now),
            (Self::SlidingLog(log), State::Log(state)) => log.used(state, now),
            (Self::Custom(custom), State::Custom(state)) => custom.used(state, now),
            _ => 0,
        }
    }

    /// See [`Algorithm::is_fresh`].
    pub fn is_fresh(&self, state: &State, now: Now) -> bool {
        match (self, state) {
            (Self::TokenBucket(bucket), State::Bucket(state)) => bucket.is_fresh(state, now),
            (Self::LeakyBucket(bucket), State::Bucket(state)) => bucket.is_fresh(state, now),
            (Self::FixedWindow(window), State::Fixed(state)) => window.is_fresh(state, now),
            (Self::SlidingWindow(window), State::Sliding(state)) => window.is_fresh(state, now),
            (Self::SlidingLog(log), State::Log(state)) => log.is_fresh(state, now),
            (Self::Custom(custom), State::Custom(state)) => custom.is_fresh(state, now),
            _ => true,
        }
    }

    /// Whether both read the same state alike, though they may allow different amounts.
    pub fn counts_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::TokenBucket(this), Self::TokenBucket(that)) => {
                this.bucket().has_rate_of(that.bucket())
            }
            (Self::LeakyBucket(this), Self::LeakyBucket(that)) => {
                this.bucket().has_rate_of(that.bucket())
            }
            (Self::FixedWindow(this), Self::FixedWindow(that)) => this.period() == that.period(),
            (Self::SlidingWindow(this), Self::SlidingWindow(that)) => {
                this.period() == that.period()
            }
            (Self::SlidingLog(this), Self::SlidingLog(that)) => this.period() == that.period(),
            (Self::Custom(this), Self::Custom(that)) => Arc::ptr_eq(this, that),
            _ => false,
        }
    }

    /// D14: carries a key that was counted by `former` over to this law. Where both count alike the
    /// state goes on; otherwise what was in use counts as admitted just now.
    pub fn adopt(&self, former: &Self, state: State, now: Now) -> State {
        let state = former.rebased(state, now);
        if self.counts_like(former) {
            return state;
        }
        match (self, former, state) {
            (Self::TokenBucket(new), Self::TokenBucket(old), State::Bucket(state)) => {
                State::Bucket(new.bucket().adopt(old.bucket(), state, now.steady))
            }
            (Self::LeakyBucket(new), Self::LeakyBucket(old), State::Bucket(state)) => {
                State::Bucket(new.bucket().adopt(old.bucket(), state, now.steady))
            }
            #[cfg(mutant = "change-of-algorithm-starts-fresh")]
            (new, _, _) => new.admitted(0, now),
            #[cfg(not(mutant = "change-of-algorithm-starts-fresh"))]
            (new, old, state) => new.admitted(old.used(&state, now), now),
        }
    }

    /// The state without what a clock that was set back left in the future (D7).
    fn rebased(&self, state: State, now: Now) -> State {
        self.step(state, now, Cost::ZERO).1
    }
}
