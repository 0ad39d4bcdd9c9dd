//! The span a limit speaks about, and the aligned windows it cuts time into.

use std::{
    fmt,
    hash::{Hash, Hasher},
};

use crate::{
    LimitError, Micros, Timestamp,
    calendar::{DAY, month_at, month_start},
    math::Divisor,
};

/// A unit of time a period can be written in.
///
/// ```
/// use tollgate_core::Unit;
///
/// assert_eq!(Unit::Minute.symbol(), "min");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unit {
    /// A thousandth of a second, `ms`.
    Millisecond,
    /// `s`.
    Second,
    /// `min`.
    Minute,
    /// `h`.
    Hour,
    /// 24 hours from midnight UTC, `day`.
    Day,
    /// Seven days from Monday midnight UTC, `week`.
    Week,
    /// A calendar month in UTC, `month`; 30 days for buckets.
    Month,
}

impl Unit {
    /// Every unit, shortest first.
    pub const ALL: [Self; 7] = [
        Self::Millisecond,
        Self::Second,
        Self::Minute,
        Self::Hour,
        Self::Day,
        Self::Week,
        Self::Month,
    ];

    /// How the unit is written.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Millisecond => "ms",
            Self::Second => "s",
            Self::Minute => "min",
            Self::Hour => "h",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
        }
    }

    /// How long it is; 30 days for a month.
    ///
    /// ```
    /// use tollgate_core::{Micros, Unit};
    ///
    /// assert_eq!(Unit::Minute.length(), Micros::from_secs(60));
    /// ```
    pub const fn length(self) -> Micros {
        Micros::new(self.micros())
    }

    const fn micros(self) -> u64 {
        match self {
            Self::Millisecond => 1_000,
            Self::Second => 1_000_000,
            Self::Minute => 60_000_000,
            Self::Hour => 3_600_000_000,
            Self::Day => DAY,
            Self::Week => 7 * DAY,
            Self::Month => 30 * DAY,
        }
    }

    /// Weeks and months begin elsewhere than the epoch's multiples; the others do not.
    const fn alignment(self) -> u64 {
        match self {
            Self::Week => 1 << 60,
            Self::Month => 2 << 60,
            _ => 0,
        }
    }
}

/// The bits of a period's id that are its length.
const LENGTH_MASK: u64 = u64::MAX >> 4;

/// A number of units, such as `min` or `30s`. Periods are equal when they cut time alike: `60s` is
/// `min`, but `7day` is not `week`, since weeks begin on Mondays.
///
/// ```
/// use tollgate_core::{Micros, Period, Unit};
///
/// let half_minute = Period::new(30, Unit::Second)?;
/// assert_eq!(half_minute.to_string(), "30s");
/// assert_eq!(half_minute.length(), Micros::from_secs(30));
/// assert_eq!(Period::new(60, Unit::Second)?, Period::MINUTE);
/// # Ok::<(), tollgate_core::LimitError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Period {
    /// The length in microseconds, and above it how the windows are aligned.
    id: u64,
    /// What a moment is divided by to get the number of its window.
    step: Divisor,
    count: u64,
    unit: Unit,
}

impl Period {
    /// One second.
    pub const SECOND: Self = Self::one(Unit::Second);
    /// One minute.
    pub const MINUTE: Self = Self::one(Unit::Minute);
    /// One hour.
    pub const HOUR: Self = Self::one(Unit::Hour);
    /// One day from midnight UTC.
    pub const DAY: Self = Self::one(Unit::Day);
    /// One week from Monday midnight UTC.
    pub const WEEK: Self = Self::one(Unit::Week);
    /// One calendar month in UTC.
    pub const MONTH: Self = Self::one(Unit::Month);
    /// The longest period: 285 years. Below 2^53 so that every store can count it.
    pub const LENGTH_MAX: Micros = Micros::new((1 << 53) - 1);

    /// A period of `count` units.
    ///
    /// # Errors
    ///
    /// [`LimitError::ZeroPeriod`] for none, [`LimitError::PeriodTooLong`] beyond
    /// [`Period::LENGTH_MAX`].
    pub fn new(count: u64, unit: Unit) -> Result<Self, LimitError> {
        if count == 0 {
            return Err(LimitError::ZeroPeriod);
        }
        let length = Micros::new(count.saturating_mul(unit.micros()));
        if length > Self::LENGTH_MAX {
            return Err(LimitError::PeriodTooLong { given: format!("{count}{}", unit.symbol()) });
        }
        Ok(Self::of(length.get(), count, unit))
    }

    const fn one(unit: Unit) -> Self {
        Self::of(unit.micros(), 1, unit)
    }

    const fn of(length: u64, count: u64, unit: Unit) -> Self {
        let step = match unit {
            Unit::Month => count,
            _ => length,
        };
        Self { id: length | unit.alignment(), step: Divisor::new(step), count, unit }
    }

    /// How long the period is; a month counts as 30 days.
    #[inline]
    pub const fn length(self) -> Micros {
        Micros::new(self.id & LENGTH_MASK)
    }

    /// The unit it is written in.
    ///
    /// ```
    /// use tollgate_core::{Period, Unit};
    ///
    /// assert_eq!((Period::WEEK.unit(), Period::WEEK.count()), (Unit::Week, 1));
    /// ```
    pub const fn unit(self) -> Unit {
        self.unit
    }

    /// How many of its unit it is.
    pub const fn count(self) -> u64 {
        self.count
    }

    /// A number that two periods share exactly when they cut time alike. Part of a counter's
    /// identity, so it must never change between releases.
    #[inline]
    pub const fn id(self) -> u64 {
        self.id
    }

    /// The period with this [`Period::id`], if there is one.
    ///
    /// ```
    /// use tollgate_core::Period;
    ///
    /// assert_eq!(Period::from_id(Period::WEEK.id()), Some(Period::WEEK));
    /// assert_eq!(Period::from_id(0), None);
    /// ```
    pub fn from_id(id: u64) -> Option<Self> {
        let unit = match id >> 60 {
            0 => Unit::Millisecond,
            1 => Unit::Week,
            2 => Unit::Month,
            _ => return None,
        };
        let length = id & LENGTH_MASK;
        let count = length.checked_div(unit.micros())?;
        (length == count.saturating_mul(unit.micros())).then(|| Self::new(count, unit).ok())?
    }

    /// The number of the aligned window that `wall` falls into.
    #[inline]
    pub fn window_at(self, wall: Timestamp) -> u64 {
        let micros = wall.as_micros();
        self.step.div_floor(match self.unit {
            Unit::Week => micros.saturating_add(MONDAY_OFFSET),
            Unit::Month => month_at(micros),
            _ => micros,
        })
    }

    /// The first moment of a window; the end of a window is the start of the next.
    #[inline]
    pub fn start_of(self, window: u64) -> Timestamp {
        let micros = match self.unit {
            Unit::Week => window.saturating_mul(self.length().get()).saturating_sub(MONDAY_OFFSET),
            Unit::Month => month_start(window.saturating_mul(self.count)),
            _ => window.saturating_mul(self.length().get()),
        };
        Timestamp::from_micros(micros)
    }

    /// How the period is said: `minute`, `30 seconds`.
    pub(crate) fn words(self) -> String {
        let unit = match self.unit {
            Unit::Millisecond => "millisecond",
            Unit::Second => "second",
            Unit::Minute => "minute",
            Unit::Hour => "hour",
            Unit::Day => "day",
            Unit::Week => "week",
            Unit::Month => "month",
        };
        if self.count == 1 { unit.to_owned() } else { format!("{} {unit}s", self.count) }
    }
}

impl PartialEq for Period {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}

impl Eq for Period {}

impl Hash for Period {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id().hash(state);
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.count != 1 {
            write!(f, "{}", self.count)?;
        }
        f.write_str(self.unit.symbol())
    }
}

/// 1970-01-01 was a Thursday: the first week began three days before the epoch.
const MONDAY_OFFSET: u64 = 3 * DAY;

#[cfg(test)]
mod tests {
    use super::*;

    // Proves: D1 (aligned windows of section 12.14)
    #[test]
    fn months_and_weeks_follow_the_calendar() {
        let feb_29 = Timestamp::from_secs(1_709_164_800); // 2024-02-29T00:00:00Z, a Thursday
        let month = Period::MONTH.window_at(feb_29);
        assert_eq!(month, (2024 - 1970) * 12 + 1);
        assert_eq!(Period::MONTH.start_of(month), Timestamp::from_secs(1_706_745_600));
        assert_eq!(Period::MONTH.start_of(month + 1), Timestamp::from_secs(1_709_251_200));
        let week = Period::WEEK.window_at(feb_29);
        assert_eq!(Period::WEEK.start_of(week), Timestamp::from_secs(1_708_905_600));
        let quarter = Period::new(3, Unit::Month).unwrap();
        let start = quarter.start_of(quarter.window_at(feb_29));
        assert_eq!(start, Timestamp::from_secs(1_704_067_200));
    }

    #[test]
    fn every_window_contains_its_moments_and_no_others() {
        let periods = [
            Period::new(1, Unit::Millisecond).unwrap(),
            Period::new(7, Unit::Second).unwrap(),
            Period::DAY,
            Period::WEEK,
            Period::new(2, Unit::Week).unwrap(),
            Period::MONTH,
            Period::new(5, Unit::Month).unwrap(),
        ];
        for period in periods {
            for day in 0..80_000 {
                let moment = Timestamp::from_micros(day * DAY * 10 + day * 977);
                let window = period.window_at(moment);
                assert!(period.start_of(window) <= moment, "{period} {moment:?}");
                assert!(moment < period.start_of(window + 1), "{period} {moment:?}");
                assert_eq!(period.window_at(period.start_of(window + 1)), window + 1);
            }
        }
    }

    #[test]
    fn equal_when_time_is_cut_alike() {
        assert_eq!(Period::new(60, Unit::Second).unwrap(), Period::MINUTE);
        assert_ne!(Period::new(7, Unit::Day).unwrap(), Period::WEEK);
        assert_ne!(Period::new(30, Unit::Day).unwrap(), Period::MONTH);
    }
}
