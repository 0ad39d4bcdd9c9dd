//! Who has a call: the connection that writes it, or the caller that takes it back.

use super::sync::{AtomicBool, Ordering};

/// Can be taken once. A call that its caller took back was certainly not written, so that another server can
/// be asked without charging anybody twice.
#[derive(Debug)]
pub(crate) struct Claim {
    is_taken: AtomicBool,
}

impl Claim {
    pub(crate) fn new() -> Self {
        let is_taken = AtomicBool::new(false);
        Self { is_taken }
    }

    /// Whether it was free, and is the caller's of this method now.
    #[must_use]
    pub(crate) fn take(&self) -> bool {
        !self.is_taken.swap(true, Ordering::AcqRel)
    }
}
