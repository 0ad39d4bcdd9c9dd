//! What is remembered of one key, for any algorithm.

use crate::{BucketState, CustomState, FixedState, Log, SlidingState};

/// The state of a counter. Which kind it is depends on the algorithm alone.
///
/// ```
/// use tollgate_core::{Clock, Limit, ManualClock, State};
///
/// let now = ManualClock::start().now();
/// let fresh = "10/s".parse::<Limit>()?.fresh(now);
/// assert!(matches!(fresh, State::Sliding(state) if state.current == 0));
/// # Ok::<(), tollgate_core::LimitError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum State {
    /// Of a token bucket or a leaky bucket.
    Bucket(BucketState),
    /// Of a fixed window.
    Fixed(FixedState),
    /// Of a sliding window.
    Sliding(SlidingState),
    /// Of a sliding log.
    Log(Log),
    /// Of an algorithm the user brought.
    Custom(CustomState),
}
