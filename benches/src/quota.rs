//! The limit that everybody is given.

use std::time::Duration;

/// So much that next to every request passes and has to be written down, and refilled so slowly that
/// a counter still counts something when its key comes again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quota {
    pub(crate) amount: u32,
    pub(crate) period: Duration,
    pub(crate) burst: u32,
}

/// Keys that come again within a fraction of a millisecond.
const FEW: usize = 1_000;

impl Quota {
    pub(crate) const fn for_keys(keys: usize) -> Self {
        if keys <= FEW {
            Self {
                amount: 1_000,
                period: Duration::from_secs(1),
                burst: 4_000_000_000,
            }
        } else {
            Self {
                amount: 1_000,
                period: Duration::from_secs(24 * 60 * 60),
                burst: 2_000_000,
            }
        }
    }

    /// Time to earn one request.
    pub(crate) fn interval(self) -> Duration {
        self.period / self.amount
    }
}
