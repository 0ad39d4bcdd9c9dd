//! Things that are tried again and again.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use tollgate_core::{Clock as _, SystemClock};

/// How often something failed, and when it last went well.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    failures: AtomicU64,
    is_failing: AtomicBool,
    /// In µs since 1970; 0 is never.
    went_well_us: AtomicU64,
}

/// What another attempt changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attempted {
    /// It went as the one before.
    AsBefore,
    /// The one before went well, or there was none.
    Broke,
    /// The one before failed.
    Mended,
}

impl Attempts {
    pub(super) fn note<E>(&self, outcome: &Result<(), E>) -> Attempted {
        let failed = outcome.is_err();
        if failed {
            self.failures.fetch_add(1, Relaxed);
        } else {
            let now = SystemClock.now().wall.as_micros();
            self.went_well_us.store(now, Relaxed);
        }
        match (self.is_failing.swap(failed, Relaxed), failed) {
            (false, true) => Attempted::Broke,
            (true, false) => Attempted::Mended,
            _ => Attempted::AsBefore,
        }
    }

    pub(super) fn failures(&self) -> u64 {
        self.failures.load(Relaxed)
    }

    pub(super) fn is_failing(&self) -> bool {
        self.is_failing.load(Relaxed)
    }

    /// When it last went well; 0 is never.
    pub(super) fn went_well_us(&self) -> u64 {
        self.went_well_us.load(Relaxed)
    }
}
