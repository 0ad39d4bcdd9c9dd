//! What a connection is given.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU32, Ordering::Relaxed},
};

use super::{codec::Writer, connect::Connect};

/// What a connection needs to know, and tells of itself.
pub(super) struct Line {
    pub(super) connect: Arc<dyn Connect>,
    pub(super) host: Arc<str>,
    pub(super) writer: Arc<Writer>,
    /// How many connections there are in all, and how many of them are made.
    pub(super) open: Arc<AtomicU32>,
    pub(super) made: Arc<AtomicU32>,
    /// Whether this one is.
    pub(super) is_ready: Arc<AtomicBool>,
    /// Whether the last attempt to make one failed.
    pub(super) has_failed: Arc<AtomicBool>,
}

/// Counts a connection for as long as it lives.
pub(super) struct Counted(Arc<AtomicU32>);

impl Counted {
    pub(super) fn new(open: &Arc<AtomicU32>) -> Self {
        open.fetch_add(1, Relaxed);
        Self(Arc::clone(open))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}
