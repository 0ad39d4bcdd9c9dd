//! Moments as people write them.

use anyhow::{Context as _, bail};
use tollgate_core::{Clock as _, Limit, SystemClock, Timestamp};

/// `2026-11-15T22:16:42Z`
pub(crate) fn shown(moment: Timestamp) -> String {
    let seconds = i64::try_from(moment.as_micros() / 1_000_000).unwrap_or(i64::MAX);
    jiff::Timestamp::from_second(seconds)
        .map_or_else(|_| "never".to_owned(), |moment| moment.to_string())
}

/// Reads `2027-01-01T00:00:00Z`.
pub(crate) fn moment(text: &str) -> anyhow::Result<Timestamp> {
    let moment: Result<jiff::Timestamp, _> = text.parse();
    let Ok(moment) = moment else {
        bail!("{text:?} is not a moment: write date, time and zone, as in 2027-01-01T00:00:00Z");
    };
    let micros = u64::try_from(moment.as_microsecond());
    let micros = micros.with_context(|| format!("{text:?} is before 1970"))?;
    Ok(Timestamp::from_micros(micros))
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
