//! The Gregorian calendar in UTC, in microseconds since 1970.

/// A day.
pub(crate) const DAY: u64 = 86_400_000_000;

/// Days from 0000-03-01 to 1970-01-01 in the Gregorian calendar.
const EPOCH_DAY: u64 = 719_468;
const DAYS_PER_ERA: u64 = 146_097;

/// Months since January 1970. Counts from March, so that the leap day is the last of its year.
#[expect(clippy::arithmetic_side_effects, reason = "a timestamp is below 2^56")]
pub(crate) const fn month_at(micros: u64) -> u64 {
    let day = micros / DAY + EPOCH_DAY;
    let (era, day) = (day / DAYS_PER_ERA, day % DAYS_PER_ERA);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    (era * 400 + year) * 12 + month_from_march + 2 - 1_970 * 12
}

/// The first microsecond of a month counted from January 1970.
#[expect(clippy::arithmetic_side_effects, reason = "clamped to years a timestamp can reach")]
pub(crate) const fn month_start(months: u64) -> u64 {
    let months = if months > MONTHS_MAX { MONTHS_MAX } else { months };
    let from_march = months + 1_970 * 12 - 2;
    let (year, month) = (from_march / 12, from_march % 12);
    let (era, year) = (year / 400, year % 400);
    let day_of_year = (153 * month + 2) / 5;
    let day = era * DAYS_PER_ERA + year * 365 + year / 4 - year / 100 + day_of_year;
    (day - EPOCH_DAY) * DAY
}

/// Well past [`Timestamp::MAX`], far below overflow.
const MONTHS_MAX: u64 = 3_000 * 12;
