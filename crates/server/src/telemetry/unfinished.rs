//! The bytes that requests hold before they have arrived whole.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The bytes of one protocol.
#[derive(Debug, Default)]
pub(crate) struct Unfinished(AtomicU64);

impl Unfinished {
    /// How many there are.
    pub(crate) fn held(&self) -> u64 {
        self.0.load(Relaxed)
    }

    /// One holder has `after` instead of `before`; refused if all together would have more than `max`.
    pub(crate) fn change(&self, before: u64, after: u64, max: u64) -> bool {
        let changed = self.0.fetch_update(Relaxed, Relaxed, |held| {
            let changed = held.saturating_sub(before).saturating_add(after);
            (after <= before || changed <= max).then_some(changed)
        });
        changed.is_ok()
    }
}
