//! What every model can be asked.

use super::moment::Moment;

/// One algorithm by recounting. The numbers are plain integers, wide enough for every limit.
pub(super) trait Recount {
    /// D7: moves what a clock that has been set back since left more than one period in the future.
    /// Says whether there was any.
    fn settle(&mut self, at: Moment) -> bool;

    /// Units in use: of buckets rounded up, of sliding windows rounded down.
    fn used(&self, at: Moment) -> i128;

    /// Whether so many more units fit.
    fn fits(&self, at: Moment, cost: i128) -> bool;

    /// Microseconds until the window ends or the bucket is full.
    fn reset_after(&self, at: Moment) -> i128;

    /// Microseconds an admitted request has to wait before it goes on.
    fn delay(&self, _at: Moment) -> i128 {
        0
    }

    /// Notes that so many units were admitted.
    fn charge(&mut self, at: Moment, cost: i128);

    /// D14: begins with so many units that were admitted under a limit that counted otherwise.
    fn inherit(&mut self, at: Moment, used: i128) {
        if used > 0 {
            self.charge(at, used);
        }
    }

    /// Takes back so many of the units that were admitted last and still count.
    fn refund(&mut self, at: Moment, cost: i128);
}

/// `a / b` rounded up, for `a` of at least zero.
pub(super) fn div_up(a: i128, b: i128) -> i128 {
    let floor = a / b;
    if floor * b == a { floor } else { floor + 1 }
}
