//! Between Envoy's units and our periods.

use tollgate_core::{Period, Unit as Length};
use tollgate_rls::{RateLimitUnit, Unit};

/// The period of a unit; none if it is unknown. Months and years are those of the calendar.
pub(super) fn period(unit: RateLimitUnit) -> Option<Period> {
    match unit {
        RateLimitUnit::Unknown => None,
        RateLimitUnit::Second => Some(Period::SECOND),
        RateLimitUnit::Minute => Some(Period::MINUTE),
        RateLimitUnit::Hour => Some(Period::HOUR),
        RateLimitUnit::Day => Some(Period::DAY),
        RateLimitUnit::Month => Some(Period::MONTH),
        RateLimitUnit::Year => year(),
    }
}

/// The unit that is as long as a period; unknown if none is.
pub(super) fn unit(period: Period) -> Unit {
    match period {
        period if period == Period::SECOND => Unit::Second,
        period if period == Period::MINUTE => Unit::Minute,
        period if period == Period::HOUR => Unit::Hour,
        period if period == Period::DAY => Unit::Day,
        period if period == Period::WEEK => Unit::Week,
        period if period == Period::MONTH => Unit::Month,
        period if Some(period) == year() => Unit::Year,
        _ => Unit::Unknown,
    }
}

fn year() -> Option<Period> {
    Period::new(12, Length::Month).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_comes_back() {
        for number in 1..=6 {
            let asked = RateLimitUnit::try_from(number).unwrap();
            assert_eq!(unit(period(asked).unwrap()) as i32, number);
        }
        assert_eq!(period(RateLimitUnit::Unknown), None);
        assert_eq!(unit(Period::WEEK), Unit::Week);
        assert_eq!(
            unit(Period::new(30, Length::Second).unwrap()),
            Unit::Unknown
        );
        assert_eq!(unit(Period::new(24, Length::Hour).unwrap()), Unit::Day);
    }
}
