//! Moments as people write them.

use anyhow::{Context as _, bail};
use jiff::{
    Span,
    civil::{Date, Weekday},
    tz::TimeZone,
};
use tollgate_core::{Clock as _, Limit, SystemClock, Timestamp};

/// `2026-11-15T22:16:42Z`
pub(crate) fn shown(moment: Timestamp) -> String {
    let seconds = i64::try_from(moment.as_micros() / 1_000_000).unwrap_or(i64::MAX);
    jiff::Timestamp::from_second(seconds)
        .map_or_else(|_| "never".to_owned(), |moment| moment.to_string())
}

/// Reads `2027-01-01T00:00:00Z`, `2027-01-01` or `friday`. A day means the end of that day in UTC, so that the day
/// itself is included; a weekday is the next one, today included.
pub(crate) fn moment(text: &str) -> anyhow::Result<Timestamp> {
    moment_from(text, today()?)
}

fn moment_from(text: &str, today: Date) -> anyhow::Result<Timestamp> {
    let day = date(text).map_or_else(|| weekday(text, today), Some);
    let moment = match day {
        Some(day) => end_of(day).ok(),
        None => text.parse::<jiff::Timestamp>().ok(),
    };
    let Some(moment) = moment else {
        bail!(
            "{text:?} is not a moment: write 2027-01-01T00:00:00Z, or a day such as 2027-01-01 or friday, \
             which lasts to its end in UTC"
        );
    };
    let micros = u64::try_from(moment.as_microsecond());
    let micros = micros.with_context(|| format!("{text:?} is before 1970"))?;
    Ok(Timestamp::from_micros(micros))
}

fn today() -> anyhow::Result<Date> {
    let seconds = i64::try_from(now().as_micros() / 1_000_000)?;
    let now = jiff::Timestamp::from_second(seconds)?;
    Ok(now.to_zoned(TimeZone::UTC).date())
}

/// `2027-01-01`, and nothing behind it: the parser would drop a time.
fn date(text: &str) -> Option<Date> {
    const DATE_BYTES: usize = "2027-01-01".len();
    (text.len() == DATE_BYTES).then(|| text.parse().ok()).flatten()
}

/// The next day of this name, by its whole name or its first three letters.
fn weekday(text: &str, today: Date) -> Option<Date> {
    let weekday = match text.to_ascii_lowercase().as_str() {
        "monday" | "mon" => Weekday::Monday,
        "tuesday" | "tue" => Weekday::Tuesday,
        "wednesday" | "wed" => Weekday::Wednesday,
        "thursday" | "thu" => Weekday::Thursday,
        "friday" | "fri" => Weekday::Friday,
        "saturday" | "sat" => Weekday::Saturday,
        "sunday" | "sun" => Weekday::Sunday,
        _ => return None,
    };
    let days = today.weekday().until(weekday);
    today.checked_add(Span::new().days(days)).ok()
}

fn end_of(day: Date) -> Result<jiff::Timestamp, jiff::Error> {
    let next = day.tomorrow()?.to_zoned(TimeZone::UTC)?;
    Ok(next.timestamp())
}

/// Reads `90min`, `2h`, `7day`: so long from now.
pub(crate) fn from_now(text: &str) -> anyhow::Result<Timestamp> {
    // A limit has the same grammar of periods.
    let limit: Result<Limit, _> = format!("1/{text}").parse();
    let Ok(period) = limit.map(|limit| limit.period()) else {
        bail!("{text:?} is not a span of time: write for example 90min, 2h or 7day");
    };
    let end = now().saturating_add(period.length());
    // A whole second, as it is shown; never sooner.
    Ok(Timestamp::from_secs(end.as_micros().div_ceil(1_000_000)))
}

pub(crate) fn now() -> Timestamp {
    SystemClock.now().wall
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::{moment_from, shown};

    #[test]
    fn a_day_lasts_to_its_end() {
        // A Wednesday.
        let today = date(2026, 11, 18);
        for (text, end) in [
            ("2027-01-01T12:00:00Z", "2027-01-01T12:00:00Z"),
            ("2027-01-01T12:00:00+02:00", "2027-01-01T10:00:00Z"),
            ("2026-11-20", "2026-11-21T00:00:00Z"),
            ("2026-12-31", "2027-01-01T00:00:00Z"),
            ("friday", "2026-11-21T00:00:00Z"),
            ("Friday", "2026-11-21T00:00:00Z"),
            ("wed", "2026-11-19T00:00:00Z"),
            ("TUESDAY", "2026-11-25T00:00:00Z"),
            ("sun", "2026-11-23T00:00:00Z"),
        ] {
            let moment = moment_from(text, today).unwrap();
            assert_eq!(shown(moment), end, "{text}");
        }
    }

    #[test]
    fn what_is_no_moment_says_what_is() {
        let today = date(2026, 11, 18);
        for text in [
            "",
            "soon",
            "2026-11-31",
            "2026-11-20T10:00:00",
            "20-11-2026",
            "20.11.2026",
            "9999-12-31",
            "frida",
        ] {
            let error = moment_from(text, today).unwrap_err().to_string();
            let remedy = "2027-01-01T00:00:00Z, or a day such as 2027-01-01 or friday";
            assert!(error.contains(remedy), "{text:?}: {error}");
        }
        let error = moment_from("1960-01-01", today).unwrap_err().to_string();
        assert!(error.contains("before 1970"), "{error}");
    }
}
