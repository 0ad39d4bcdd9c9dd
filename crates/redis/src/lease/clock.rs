//! By which clock leases end.

use std::sync::Arc;

use tollgate_core::{Clock, Instants, Now, SystemClock, Timestamp};

/// The machine's, without a detour; or a test's.
#[derive(Clone)]
pub(crate) enum LeaseClock {
    System,
    Told(Arc<dyn Clock>),
}

impl Clock for LeaseClock {
    fn now(&self) -> Now {
        self.instants().now
    }

    fn boot(&self) -> Timestamp {
        self.instants().boot
    }

    #[inline]
    fn instants(&self) -> Instants {
        match self {
            Self::System => SystemClock.instants(),
            Self::Told(clock) => clock.instants(),
        }
    }
}
