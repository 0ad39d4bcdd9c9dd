//! What a caller asks.

use tollgate::Action;
use tollgate_rules::Query;

/// A question, whatever protocol it came by.
#[derive(Clone, Debug)]
pub(crate) struct Ask<'a> {
    /// The facts.
    pub(crate) query: Query<'a>,
    /// Asked again under the same name, it is answered alike and not charged again.
    pub(crate) request_id: Option<&'a str>,
}

impl<'a> Ask<'a> {
    /// The longest name of a request.
    pub(crate) const REQUEST_ID_BYTES_MAX: usize = 128;

    pub(crate) const fn new(query: Query<'a>) -> Self {
        Self {
            query,
            request_id: None,
        }
    }
}

/// What is done to the counters that a request would be charged on, other than charging them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deed<'a> {
    /// Peek, refund or reset.
    pub(crate) action: Action,
    /// Only those of this rule.
    pub(crate) rule: Option<&'a str>,
}
