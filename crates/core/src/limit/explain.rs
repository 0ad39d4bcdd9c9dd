//! Limits in plain words.

use super::Limit;
use crate::{AlgorithmName, Micros, Period, math::div_floor};

impl Limit {
    /// What the limit does, in words for somebody who never read about algorithms.
    ///
    /// ```
    /// use tollgate_core::{Limit, AlgorithmName};
    ///
    /// let limit: Limit = "100/min".parse()?;
    /// assert_eq!(limit.explain(), "100 a minute, sliding");
    /// let leaky = limit.with_algorithm(AlgorithmName::LeakyBucket)?.with_burst(5)?;
    /// assert_eq!(leaky.explain(), "one every 600 ms, 5 more may wait their turn");
    /// # Ok::<(), tollgate_core::LimitError>(())
    /// ```
    pub fn explain(&self) -> String {
        let soft = match self.bands().hard_at() {
            100 => String::new(),
            hard => format!("; over the limit is logged, above {hard}% is denied"),
        };
        format!("{}{soft}", self.explain_law())
    }

    fn explain_law(&self) -> String {
        let amount = self.amount();
        let per = match self.period().words() {
            words if words.starts_with(|first: char| first.is_ascii_digit()) => {
                format!("per {words}")
            }
            words if words == "hour" => "an hour".to_owned(),
            words => format!("a {words}"),
        };
        match self.algorithm() {
            AlgorithmName::TokenBucket => {
                format!("{} at once, then {}", self.capacity(), self.pace())
            }
            AlgorithmName::LeakyBucket => match self.burst().unwrap_or(0) {
                0 => format!("{}, none may wait", self.pace()),
                queue => format!("{}, {queue} more may wait their turn", self.pace()),
            },
            AlgorithmName::FixedWindow => format!("{amount} {per}, counted anew when each begins"),
            AlgorithmName::SlidingWindow => format!("{amount} {per}, sliding"),
            AlgorithmName::SlidingLog => format!("{amount} {per}, never more in any such span"),
            AlgorithmName::Custom => format!("{amount} {per}, by an algorithm of your own"),
        }
    }

    fn pace(&self) -> String {
        match interval(self.amount(), self.period()) {
            Some(every) => format!("one every {}", length(every)),
            None => format!("{} every {}", self.amount(), length(self.period().length())),
        }
    }
}

/// The largest unit that leaves a whole number, with at most three digits after the point.
fn length(micros: Micros) -> String {
    const UNITS: [(u64, &str); 6] = [
        (86_400_000_000, "days"),
        (3_600_000_000, "h"),
        (60_000_000, "min"),
        (1_000_000, "s"),
        (1_000, "ms"),
        (1, "µs"),
    ];
    let micros = micros.get();
    let unit = UNITS.iter().find(|(size, _)| micros >= *size).unwrap_or(&(1, "µs"));
    let (size, name) = *unit;
    let whole = micros.checked_div(size).unwrap_or(0);
    let rest = micros.checked_rem(size).unwrap_or(0);
    let thousandths = rest.saturating_mul(1_000).checked_div(size).unwrap_or(0);
    let name = if name == "days" && whole == 1 && thousandths == 0 { "day" } else { name };
    if thousandths == 0 {
        return format!("{whole} {name}");
    }
    let digits = format!("{thousandths:03}");
    format!("{whole}.{} {name}", digits.trim_end_matches('0'))
}

/// One token every so long: `None` if more than one comes every microsecond.
fn interval(amount: u64, period: Period) -> Option<Micros> {
    let micros = div_floor(u128::from(period.length().get()), amount);
    (micros > 0).then(|| Micros::new(micros))
}
