//! Counters that outlive a restart.

use tollgate_core::Period;

/// Counters of this period and longer are saved.
pub const SAVED_PERIOD_MIN: Period = Period::HOUR;

/// Why saved counters cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {}
