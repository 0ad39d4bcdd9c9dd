//! The outcome of one charge.

use std::time::Duration;

use crate::{Band, Micros};

/// Allowed or denied, with the numbers a caller needs to behave well.
///
/// ```
/// use std::time::Duration;
/// use tollgate_core::{Clock, Cost, Limit, ManualClock};
///
/// let limit = "6/min".parse::<Limit>()?.with_burst(1)?;
/// let now = ManualClock::start().now();
/// let (first, state) = limit.step(limit.fresh(now), now, Cost::ONE);
/// assert!(first.is_allowed());
/// let (second, _) = limit.step(state, now, Cost::ONE);
/// assert_eq!(second.retry_after(), Some(Duration::from_secs(10)));
/// # Ok::<(), tollgate_core::LimitError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    pub(crate) limit: u64,
    pub(crate) remaining: u64,
    pub(crate) reset_after: Micros,
    /// `Micros::MAX` where waiting never helps.
    pub(crate) retry_after: Micros,
    pub(crate) delay: Micros,
    pub(crate) band: Band,
}

impl Decision {
    /// Whether the request may pass.
    #[inline]
    pub const fn is_allowed(&self) -> bool {
        !matches!(self.band, Band::Denied)
    }

    /// How near to its limit the request came.
    pub const fn band(&self) -> Band {
        self.band
    }

    /// How much the limit holds: its amount, or the capacity of its bucket.
    pub const fn limit(&self) -> u64 {
        self.limit
    }

    /// How much is left for the next request; zero where this one was denied.
    pub const fn remaining(&self) -> u64 {
        self.remaining
    }

    /// Time until the aligned window ends, or the bucket is full; on a denial never shorter than
    /// [`Decision::retry_after`].
    pub fn reset_after(&self) -> Duration {
        self.reset_after.into()
    }

    /// Exactly how long a lone client has to wait before the same request passes: zero if it just
    /// did, `None` if waiting never helps because the cost exceeds what the limit can hold.
    pub fn retry_after(&self) -> Option<Duration> {
        (self.retry_after != Micros::MAX).then(|| self.retry_after.into())
    }

    /// How long an admitted request should wait before it goes on, so that the output of a leaky
    /// bucket is evenly spaced. Zero for every other algorithm.
    pub fn delay(&self) -> Duration {
        self.delay.into()
    }
}
