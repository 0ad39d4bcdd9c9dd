//! A reading of the clocks in plain numbers, which do not end where a timestamp does.

use tollgate_core::Now;

/// Both hands in microseconds since the epoch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) wall: i128,
    pub(super) steady: i128,
}

impl Moment {
    pub(super) fn after(self, micros: u64) -> Self {
        Self { wall: self.wall + i128::from(micros), steady: self.steady + i128::from(micros) }
    }
}

impl From<Now> for Moment {
    fn from(now: Now) -> Self {
        Self { wall: now.wall.as_micros().into(), steady: now.steady.as_micros().into() }
    }
}
