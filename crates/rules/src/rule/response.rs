//! What a denied client is told.

use std::sync::Arc;

/// The answer to a denied request, as far as the rule has a say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Response {
    /// The status; without one 429 for a throttle and 403 for a block.
    pub status: Option<u16>,
    /// The message, instead of a general one.
    pub message: Option<Arc<str>>,
    /// The least wait shown, in seconds.
    pub retry_after_s: Option<u32>,
}

impl Response {
    /// The statuses a rule may answer with.
    pub const STATUS_RANGE: std::ops::RangeInclusive<u16> = 400..=599;
    /// The longest message.
    pub const MESSAGE_BYTES_MAX: usize = 1_000;
    /// The longest wait: a year.
    pub const RETRY_AFTER_S_MAX: u32 = 366 * 24 * 3_600;
}
