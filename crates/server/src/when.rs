//! Moments as people write them.

use tollgate_core::Timestamp;

/// `2026-11-15T22:16:42Z`
pub(crate) fn shown(moment: Timestamp) -> String {
    let micros = i64::try_from(moment.as_micros()).unwrap_or(i64::MAX);
    let seconds = micros / 1_000_000;
    jiff::Timestamp::from_second(seconds)
        .map_or_else(|_| "never".to_owned(), |moment| moment.to_string())
}
