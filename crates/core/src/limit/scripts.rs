//! Which limits a script can count whose numbers are doubles, as those of Redis are.

use crate::{Bucket, Law, Limit, LimitError, math::mul};

/// Whole numbers below this are exact in a double.
const EXACT: u64 = 1 << 53;
/// What a bucket gains in a microsecond is added before it is compared, so it has a bit less.
const GAIN: u64 = 1 << 52;
/// Microseconds that a window or a full bucket may take: 35 years, which leaves room for the time of day.
const SPAN_MICROS_MAX: u64 = 1 << 50;

impl Limit {
    /// Whether the scripts that count in Redis are exact for this limit.
    ///
    /// ```
    /// use tollgate_core::Limit;
    ///
    /// assert!("1000000/s".parse::<Limit>()?.fits_scripts().is_ok());
    /// let huge: Limit = "10000000000000000/day".parse()?;
    /// let error = huge.fits_scripts().unwrap_err().to_string();
    /// assert!(error.contains("the largest is 9007199254740991"), "{error}");
    /// # Ok::<(), tollgate_core::LimitError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`LimitError::BeyondScripts`] names the number that is too large, and [`LimitError::CustomInScripts`] an
    /// algorithm of one's own.
    pub fn fits_scripts(&self) -> Result<(), LimitError> {
        match self.law() {
            Law::FixedWindow(_) | Law::SlidingWindow(_) => {
                within(
                    "the amount at hard_at",
                    self.law().capacity().into(),
                    EXACT - 1,
                    "lower the amount or hard_at",
                )?;
                within(
                    "a window in microseconds",
                    self.period().length().get().into(),
                    SPAN_MICROS_MAX,
                    "shorten the period",
                )
            }
            Law::TokenBucket(law) => bucket(law.bucket()),
            Law::LeakyBucket(law) => bucket(law.bucket()),
            // Its amount and its times are bounded far below.
            Law::SlidingLog(_) => Ok(()),
            Law::Custom(_) => Err(LimitError::CustomInScripts),
        }
    }
}

fn bucket(bucket: &Bucket) -> Result<(), LimitError> {
    let (gain, token) = (bucket.units_per_micro(), bucket.units_per_token());
    within(
        "the capacity of a bucket at hard_at",
        bucket.capacity().into(),
        EXACT - 1,
        "lower the burst or hard_at",
    )?;
    within(
        "the amount in lowest terms",
        gain.into(),
        GAIN - 1,
        "lower the amount, or choose one that shares factors with the period",
    )?;
    within(
        "the microseconds of the period in lowest terms",
        token.into(),
        EXACT - 1,
        "shorten the period, or choose an amount that shares factors with it",
    )?;
    let fill = mul(bucket.capacity(), token).checked_div(gain.into()).unwrap_or(0);
    within(
        "the microseconds that the bucket takes to fill",
        fill,
        SPAN_MICROS_MAX,
        "lower the burst or raise the amount",
    )
}

fn within(
    what: &'static str,
    given: u128,
    max: u64,
    remedy: &'static str,
) -> Result<(), LimitError> {
    if given <= u128::from(max) {
        return Ok(());
    }
    Err(LimitError::BeyondScripts { what, given, max, remedy })
}
