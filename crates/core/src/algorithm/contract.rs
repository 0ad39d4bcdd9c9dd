//! What an algorithm promises to the store that runs it.

use std::fmt;

use crate::{Cost, Micros, Now};

/// The state of an algorithm that is brought by the user: two words, kept as they are.
///
/// ```
/// use tollgate_core::CustomState;
///
/// let seen_and_used: CustomState = [1_767_225_600, 3];
/// assert_eq!(size_of_val(&seen_and_used), 16);
/// ```
pub type CustomState = [u64; 2];

/// How a limit counts. Pure: the state and the moment come in, an answer and a state go out.
///
/// To bring your own, implement it with `State = CustomState` and give it to
/// [`Limit::with_custom`](crate::Limit::with_custom).
///
/// ```
/// use std::sync::Arc;
/// use tollgate_core::{Algorithm, Answer, Cost, CustomState, Limit, Micros, Now, Outcome};
///
/// /// Lets `0.` units pass and then nothing, ever.
/// #[derive(Debug)]
/// struct OnceAndForAll(u64);
///
/// impl Algorithm for OnceAndForAll {
///     type State = CustomState;
///
///     fn capacity(&self) -> u64 {
///         self.0
///     }
///     fn fresh(&self, _: Now) -> CustomState {
///         [0, 0]
///     }
///     fn step(&self, state: CustomState, _: Now, cost: Cost) -> (Answer, CustomState) {
///         let after = state[0].saturating_add(cost.get());
///         let (outcome, used) = match after <= self.0 {
///             true => (Outcome::ALLOW, after),
///             false => (Outcome::Deny { retry_after: None }, state[0]),
///         };
///         (Answer { outcome, used, reset_after: Micros::MAX }, [used, 0])
///     }
///     fn used(&self, state: &CustomState, _: Now) -> u64 {
///         state[0]
///     }
///     fn admitted(&self, used: u64, _: Now) -> CustomState {
///         [used, 0]
///     }
///     fn refund(&self, state: CustomState, _: Now, cost: Cost) -> CustomState {
///         [state[0].saturating_sub(cost.get()), 0]
///     }
///     fn is_fresh(&self, state: &CustomState, _: Now) -> bool {
///         state[0] == 0
///     }
/// }
///
/// let limit = "5/day".parse::<Limit>()?.with_custom(Arc::new(OnceAndForAll(5)));
/// assert_eq!(limit.capacity(), 5);
/// # Ok::<(), tollgate_core::LimitError>(())
/// ```
pub trait Algorithm: fmt::Debug + Send + Sync {
    /// What is remembered of one key.
    type State;

    /// The most that can ever be in use: a larger cost never fits.
    fn capacity(&self) -> u64;

    /// The state of a key nobody has used.
    fn fresh(&self, now: Now) -> Self::State;

    /// Decides whether `cost` fits at `now`.
    ///
    /// A denied request and a cost of zero leave the state bit-equal, with one exception: a state
    /// more than one period in the future, left by a clock that was set back, is moved to `now`
    /// with its counts kept, or the key would be locked out until that future comes.
    fn step(&self, state: Self::State, now: Now, cost: Cost) -> (Answer, Self::State);

    /// Units in use at `now`: of buckets rounded up, of sliding windows rounded down.
    fn used(&self, state: &Self::State, now: Now) -> u64;

    /// The state of a key for which `used` units were admitted just now, be it more than fits.
    fn admitted(&self, used: u64, now: Now) -> Self::State;

    /// Gives back `cost` units, never beyond fresh; what has already run out credits nothing.
    fn refund(&self, state: Self::State, now: Now, cost: Cost) -> Self::State;

    /// Whether the state can be forgotten: from `now` on it decides like a fresh one.
    fn is_fresh(&self, state: &Self::State, now: Now) -> bool;
}

/// What one step says.
///
/// ```
/// use tollgate_core::{Algorithm, Clock, Cost, FixedWindow, ManualClock, Micros, Period};
///
/// let (window, now) = (FixedWindow::new(10, Period::MINUTE), ManualClock::start().now());
/// let (answer, _) = window.step(window.fresh(now), now, Cost::new(4));
/// assert_eq!((answer.used, answer.reset_after), (4, Micros::from_secs(60)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Allowed or denied.
    pub outcome: Outcome,
    /// Units in use after the step, rounded as [`Algorithm::used`] is.
    pub used: u64,
    /// Time until the window ends or the bucket is full.
    pub reset_after: Micros,
}

/// Allowed or denied.
///
/// ```
/// use tollgate_core::Outcome;
///
/// assert!(Outcome::ALLOW.is_allowed());
/// assert!(!Outcome::Deny { retry_after: None }.is_allowed());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The cost was taken.
    Allow {
        /// How long the request should wait before it goes on; zero unless the algorithm shapes.
        delay: Micros,
    },
    /// Nothing was taken.
    Deny {
        /// Time until the same request would pass if nobody else came; `None` where waiting never
        /// helps.
        retry_after: Option<Micros>,
    },
}

impl Outcome {
    /// Allowed, at once.
    pub const ALLOW: Self = Self::Allow { delay: Micros::ZERO };

    /// Whether the cost was taken.
    pub const fn is_allowed(self) -> bool {
        matches!(self, Self::Allow { .. })
    }
}
