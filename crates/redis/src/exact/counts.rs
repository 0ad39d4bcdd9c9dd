//! What has happened.

use std::sync::atomic::AtomicU64;

/// What has happened.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) calls: AtomicU64,
    pub(crate) decisions: AtomicU64,
    pub(crate) late: AtomicU64,
    pub(crate) conflicts: AtomicU64,
    pub(crate) foreign: AtomicU64,
}
