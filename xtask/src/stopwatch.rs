//! How long something took, for tables people read.

use std::time::{Duration, Instant};

#[derive(Debug)]
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    #[expect(
        clippy::disallowed_methods,
        reason = "a task's duration is shown, nothing depends on it"
    )]
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

pub(crate) fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::{Duration, seconds};

    #[test]
    fn shows_tenths_of_a_second() {
        assert_eq!(seconds(Duration::from_millis(61_250)), "61.2 s");
    }
}
