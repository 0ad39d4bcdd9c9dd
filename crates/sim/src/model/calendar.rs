//! Aligned windows, by walking the calendar.

use tollgate_core::{Period, Unit};

/// Which windows a period cuts the wall clock into, numbered from the epoch.
#[derive(Clone, Debug)]
pub(crate) enum Calendar {
    /// Windows of equal length, the first of which began `lead` before the epoch.
    Even { length: i128, lead: i128 },
    /// Windows of so many calendar months.
    Months { count: i128 },
}

impl Calendar {
    pub(crate) fn new(period: Period) -> Self {
        let written = period.to_string();
        let length = i128::from(period.length().get());
        let unit = written.trim_start_matches(|letter: char| letter.is_ascii_digit());
        if unit == Unit::Month.symbol() {
            let count = length / (30 * DAY);
            return Self::Months { count };
        }
        // The epoch was a Thursday; weeks begin on Mondays.
        let lead = if unit == Unit::Week.symbol() { 3 * DAY } else { 0 };
        Self::Even { length, lead }
    }

    pub(crate) fn window_at(&self, wall: i128) -> i128 {
        match self {
            Self::Even { length, lead } => (wall + lead).div_euclid(*length),
            Self::Months { count } => month_of_day(wall.div_euclid(DAY)).div_euclid(*count),
        }
    }

    /// The first moment of a window; no time comes before the epoch.
    pub(crate) fn start_of(&self, window: i128) -> i128 {
        match self {
            Self::Even { length, lead } => (window * length - lead).max(0),
            Self::Months { count } => first_day_of_month(window * count) * DAY,
        }
    }

    pub(crate) fn end_of(&self, window: i128) -> i128 {
        self.start_of(window + 1)
    }
}

const DAY: i128 = 24 * 60 * 60 * 1_000_000;
const YEARS_PER_CYCLE: i128 = 400;
/// The Gregorian calendar repeats after this many days.
const DAYS_PER_CYCLE: i128 = 400 * 365 + 97;

fn is_leap(year: i128) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in_year(year: i128) -> i128 {
    if is_leap(year) { 366 } else { 365 }
}

/// `month` counts from zero.
fn days_in_month(year: i128, month: i128) -> i128 {
    match month {
        1 if is_leap(year) => 29,
        1 => 28,
        3 | 5 | 8 | 10 => 30,
        _ => 31,
    }
}

/// Months since January 1970 of a day since 1970-01-01.
fn month_of_day(day: i128) -> i128 {
    let mut year = 1970 + day.div_euclid(DAYS_PER_CYCLE) * YEARS_PER_CYCLE;
    let mut day = day.rem_euclid(DAYS_PER_CYCLE);
    while day >= days_in_year(year) {
        day -= days_in_year(year);
        year += 1;
    }
    let mut month = 0;
    while day >= days_in_month(year, month) {
        day -= days_in_month(year, month);
        month += 1;
    }
    (year - 1970) * 12 + month
}

/// The first day, since 1970-01-01, of a month since January 1970.
fn first_day_of_month(months: i128) -> i128 {
    let years = months.div_euclid(12);
    let cycles = years.div_euclid(YEARS_PER_CYCLE);
    let first_year = 1970 + cycles * YEARS_PER_CYCLE;
    let year = 1970 + years;
    let whole_years: i128 = (first_year..year).map(days_in_year).sum();
    let whole_months: i128 =
        (0..months.rem_euclid(12)).map(|month| days_in_month(year, month)).sum();
    cycles * DAYS_PER_CYCLE + whole_years + whole_months
}

#[cfg(test)]
mod tests {
    use tollgate_core::Timestamp;

    use super::*;

    // Proves: D1 (aligned windows of section 12.14)
    #[test]
    fn the_calendar_of_the_core_is_this_one() {
        for unit in Unit::ALL {
            for count in [1, 2, 3, 5, 7, 12] {
                let period = Period::new(count, unit).unwrap();
                let calendar = Calendar::new(period);
                for step in 0..2_000_u64 {
                    let micros = step * step * step * 1_000_003 + step * 86_399_999_999;
                    let wall = Timestamp::from_micros(micros);
                    let window = period.window_at(wall);
                    let walked = calendar.window_at(micros.into());
                    assert_eq!(i128::from(window), walked, "{period} {micros}");
                    let start = period.start_of(window).as_micros();
                    assert_eq!(i128::from(start), calendar.start_of(walked), "{period}");
                    let end = period.start_of(window + 1).as_micros();
                    assert_eq!(i128::from(end), calendar.end_of(walked), "{period}");
                }
            }
        }
    }
}
