//! Which limits can be lent out in slices.

use std::fmt;

use crate::{Law, Limit, Micros, math::mul};

/// The shortest time between two refreshes of a lease.
const REFRESH_MIN: Micros = Micros::from_millis(50);
/// The longest.
const REFRESH_MAX: Micros = Micros::from_millis(500);
/// A bucket must take this many refreshes to fill: less than that is gone before a slice is spent.
const REFRESHES_TO_FILL: u64 = 4;
/// A window must last this many refreshes, or what is not returned in time is too much of it.
const REFRESHES_IN_WINDOW: u64 = 20;
/// Whole numbers below this are exact in a double, and so is what a pool counts.
const EXACT: u128 = 1 << 53;

/// Why a limit whose rule says `leased` is counted exactly.
///
/// ```
/// use tollgate_core::{Limit, NoLease};
///
/// let limit: Limit = "10/100ms".parse()?;
/// assert_eq!(limit.refresh(), Err(NoLease::ShortWindow));
/// assert!(NoLease::ShortWindow.to_string().contains("shorter than 1 s"));
/// # Ok::<(), tollgate_core::LimitError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NoLease {
    /// Its window is too short.
    ShortWindow,
    /// Its bucket fills too fast.
    SmallBurst,
    /// Its numbers are too large for a pool.
    LargeNumbers,
    /// Its algorithm needs to see each request.
    Algorithm,
}

impl fmt::Display for NoLease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ShortWindow => "its window is shorter than 1 s",
            Self::SmallBurst => "its burst is less than it gains in 200 ms",
            Self::LargeNumbers => "its burst times its period in lowest terms is 2^53 or more",
            Self::Algorithm => "its algorithm has to see each request",
        })
    }
}

impl Limit {
    /// How often a lease on this limit is refreshed; an error says why it cannot be leased and is counted exactly.
    ///
    /// ```
    /// use tollgate_core::{Limit, Micros};
    ///
    /// assert_eq!("100/s".parse::<Limit>()?.refresh(), Ok(Micros::from_millis(50)));
    /// assert_eq!("100/min".parse::<Limit>()?.refresh(), Ok(Micros::from_millis(500)));
    /// # Ok::<(), tollgate_core::LimitError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NoLease`].
    pub fn refresh(&self) -> Result<Micros, NoLease> {
        let (part, none) = match self.law() {
            Law::FixedWindow(_) | Law::SlidingWindow(_) => {
                let part = self.period().length().get() / REFRESHES_IN_WINDOW;
                (part, NoLease::ShortWindow)
            }
            Law::TokenBucket(law) => {
                let bucket = law.bucket();
                let full = mul(bucket.capacity(), bucket.units_per_token());
                if full >= EXACT {
                    return Err(NoLease::LargeNumbers);
                }
                let fills_in = full.checked_div(bucket.units_per_micro().into()).unwrap_or(0);
                let fills_in = u64::try_from(fills_in).unwrap_or(u64::MAX);
                (fills_in / REFRESHES_TO_FILL, NoLease::SmallBurst)
            }
            _ => return Err(NoLease::Algorithm),
        };
        if self.fits_scripts().is_err() {
            return Err(NoLease::LargeNumbers);
        }
        if part < REFRESH_MIN.get() {
            return Err(none);
        }
        Ok(Micros::new(part.min(REFRESH_MAX.get())))
    }
}
