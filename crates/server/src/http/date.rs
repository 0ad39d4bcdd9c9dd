//! The header `Date`.

use jiff::fmt::rfc2822::DateTimePrinter;
use tollgate_core::Timestamp;

/// The time of day as a header, written once a second.
#[derive(Debug, Default)]
pub(super) struct Date {
    second: Option<u64>,
    line: Vec<u8>,
}

impl Date {
    /// The line, with its end.
    pub(super) fn line(&mut self, now: Timestamp) -> &[u8] {
        let second = now.as_micros() / 1_000_000;
        if self.second != Some(second) {
            self.second = Some(second);
            self.line = line(second).unwrap_or_default();
        }
        &self.line
    }
}

fn line(second: u64) -> Option<Vec<u8>> {
    let moment = jiff::Timestamp::from_second(i64::try_from(second).ok()?).ok()?;
    let printed = DateTimePrinter::new().timestamp_to_rfc9110_string(&moment);
    Some(format!("Date: {}\r\n", printed.ok()?).into_bytes())
}
