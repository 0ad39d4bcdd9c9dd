//! The clock of a server.

use std::{fmt, sync::Arc};

use tollgate_core::{Clock, Now};

/// Where a server takes `now` from. Tests move theirs.
#[derive(Clone)]
pub(crate) struct Time(Arc<dyn Clock>);

impl Time {
    pub(crate) fn new(clock: impl Clock + 'static) -> Self {
        Self(Arc::new(clock))
    }

    /// The clock itself, for those who share it.
    pub(crate) fn shared(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.0)
    }
}

impl Clock for Time {
    #[inline]
    fn now(&self) -> Now {
        self.0.now()
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Time")
    }
}
