//! redis-cell's `CL.THROTTLE`, as its authors describe and compute it: slow, and in wide numbers.

use std::collections::HashMap;

const SECOND: i128 = 1_000_000_000;
const MILLISECOND: i128 = 1_000_000;
const MICROSECOND: i128 = 1_000;

/// Every key that was ever throttled, with the moment at which it owes nothing any more.
///
/// Where redis-cell's 64-bit products wrap around, the model goes on counting; an arrival time is kept
/// up to the last nanosecond that fits 64 bits, in the year 2262.
///
/// ```
/// use tollgate_sim::model::{CellAsk, CellModel};
///
/// let mut model = CellModel::new();
/// let ask = CellAsk { max_burst: 15, count: 30, period_s: 60, quantity: 1 };
/// assert_eq!(model.throttle(b"user123", ask, 0), Ok([0, 16, 15, -1, 2]));
/// ```
#[derive(Clone, Debug, Default)]
pub struct CellModel {
    arrivals: HashMap<Vec<u8>, i128>,
}

/// The numbers of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellAsk {
    /// How many more than one may come at once.
    pub max_burst: i64,
    /// So many in a period.
    pub count: i64,
    /// The period, in seconds.
    pub period_s: i64,
    /// So many are asked for.
    pub quantity: i64,
}

impl CellModel {
    /// Nobody owes anything.
    pub fn new() -> Self {
        Self::default()
    }

    /// The five numbers of the reply at `now`, in nanoseconds.
    ///
    /// # Errors
    ///
    /// The words of redis-cell.
    pub fn throttle(
        &mut self,
        key: &[u8],
        ask: CellAsk,
        now: i128,
    ) -> Result<[i64; 5], &'static str> {
        let interval = interval(ask);
        if interval == 0 {
            return Err("Zero rates are not supported");
        }
        let limit = i128::from(ask.max_burst) + 1;
        let tolerance = interval * limit;
        let increment = interval * i128::from(ask.quantity);

        // Redis drops the key when its time is up.
        self.arrivals.retain(|_, arrival| *arrival > now);
        let arrival = self.arrivals.get(key).copied().unwrap_or(now);
        let next_arrival = arrival + increment;
        let early = (next_arrival - now).saturating_sub(tolerance);
        if early > 0 {
            let ttl = arrival - now;
            let retry_after = if increment <= tolerance { up(early) } else { -1 };
            let left = remaining(tolerance.saturating_sub(ttl), interval);
            return Ok([1, fit(limit), left, retry_after, up(ttl)]);
        }
        let ttl = next_arrival - now;
        let kept = next_arrival.min(i128::from(i64::MAX));
        self.arrivals.insert(key.to_vec(), kept);
        // Redis takes no time to live below zero, but for minus one, which stands for none.
        if ttl / MILLISECOND < -1 {
            return Err("Error while setting key expire");
        }
        let left = remaining(tolerance.saturating_sub(ttl), interval);
        Ok([0, fit(limit), left, -1, up(ttl)])
    }
}

/// Nanoseconds from one to the next, divided as redis-cell does it: in floating point.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "the conversions are the fact"
)]
fn interval(ask: CellAsk) -> i128 {
    let period = i128::from(ask.period_s) * SECOND;
    if period == 0 || ask.count == 0 {
        return 0;
    }
    i128::from((period as f64 / ask.count as f64) as i64)
}

/// How many fit into what is left, by whole microseconds and in floating point.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "the conversions are the fact"
)]
fn remaining(left: i128, interval: i128) -> i64 {
    if left <= -interval {
        return 0;
    }
    ((left / MICROSECOND) as f64 / (interval / MICROSECOND) as f64) as i64
}

/// Whole seconds, and one more if a millisecond or more is left over.
fn up(time: i128) -> i64 {
    let over = time % SECOND / MILLISECOND;
    fit(time / SECOND + i128::from(over > 0))
}

fn fit(number: i128) -> i64 {
    let least = i128::from(i64::MIN);
    let most = i128::from(i64::MAX);
    i64::try_from(number.clamp(least, most)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i128 = 1_767_225_600 * SECOND;

    fn per_second(max_burst: i64, quantity: i64) -> CellAsk {
        CellAsk { max_burst, count: 1, period_s: 1, quantity }
    }

    /// The table in redis-cell's own tests: when, how many, and what was answered.
    // Proves: S3
    #[test]
    fn the_story_that_redis_cell_tells_of_itself() {
        let mut model = CellModel::new();
        let story = [
            (0, 6, [1, 5, 5, -1, 0]),
            (0, 1, [0, 5, 4, -1, 1]),
            (0, 1, [0, 5, 3, -1, 2]),
            (0, 1, [0, 5, 2, -1, 3]),
            (0, 1, [0, 5, 1, -1, 4]),
            (0, 1, [0, 5, 0, -1, 5]),
            (0, 1, [1, 5, 0, 1, 5]),
            (3_000, 1, [0, 5, 2, -1, 3]),
            (3_100, 1, [0, 5, 1, -1, 4]),
            (4_000, 1, [0, 5, 1, -1, 4]),
            (8_000, 1, [0, 5, 4, -1, 1]),
            (9_500, 1, [0, 5, 4, -1, 1]),
            (9_500, 0, [0, 5, 4, -1, 1]),
            (9_500, 2, [0, 5, 2, -1, 3]),
            (9_500, 5, [1, 5, 2, 3, 3]),
        ];
        for (millis, quantity, reply) in story {
            let now = NOW + millis * MILLISECOND;
            let answer = model.throttle(b"foo", per_second(4, quantity), now);
            assert_eq!(answer, Ok(reply), "{quantity} at {millis} ms");
        }
    }

    #[test]
    fn oddities_are_kept() {
        let fast = |count, max_burst| CellAsk { max_burst, count, period_s: 1, quantity: 1 };
        // 333 ns are no whole microsecond, and so much divided by nothing is without end.
        let answer = CellModel::new().throttle(b"k", fast(3_000_000, 10), NOW);
        assert_eq!(answer, Ok([0, 11, i64::MAX, -1, 0]));
        // 3,333 ns count as 3 µs: there seems to be more left than there ever was.
        let answer = CellModel::new().throttle(b"k", fast(300_000, 99), NOW);
        assert_eq!(answer, Ok([0, 100, 109, -1, 0]));
        // Less than a nanosecond apart is a rate of zero.
        let answer = CellModel::new().throttle(b"k", fast(1_000_000_001, 1), NOW);
        assert_eq!(answer, Err("Zero rates are not supported"));
    }

    #[test]
    fn numbers_below_zero_are_numbers() {
        let ask = |numbers: [i64; 4]| {
            let [max_burst, count, period_s, quantity] = numbers;
            let ask = CellAsk { max_burst, count, period_s, quantity };
            CellModel::new().throttle(b"k", ask, NOW)
        };
        assert_eq!(ask([-1, 30, 60, 1]), Ok([1, 0, 0, -1, 0]));
        assert_eq!(ask([-5, 30, 60, 0]), Ok([1, -4, 0, -1, 0]));
        assert_eq!(ask([15, -30, 60, 1]), Ok([1, 16, 0, -1, 0]));
        assert_eq!(ask([15, -30, -60, 1]), Ok([0, 16, 15, -1, 2]));
        let refused = Err("Error while setting key expire");
        assert_eq!(ask([15, 30, 60, -1]), refused);
        assert_eq!(ask([0, -30, 60, 1]), refused);
    }
}
