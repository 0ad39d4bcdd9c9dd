//! What one holder has.

use tollgate_core::{Law, Limit};

use super::{Call, Share, Word};

/// Units that one holder has and may spend until a moment.
#[derive(Clone, Debug)]
pub(super) struct Lease {
    pub(super) sequence: u64,
    pub(super) until: i128,
    pub(super) tokens: i128,
    /// What its last call was granted.
    pub(super) granted: i128,
}

impl Lease {
    /// What its last call was told, as far as it makes a difference: a lease of which nothing was left but what was
    /// granted then has kept nothing.
    pub(super) fn answered(&self, limit: &Limit, call: &Call) -> (Word, Share) {
        let is_window = !matches!(limit.law(), Law::TokenBucket(_));
        let word = match is_window && self.granted == 0 && call.want > 0 {
            true => Word::Collapsed,
            false => Word::Granted,
        };
        match self.tokens > self.granted {
            true => (word, Share::Kept),
            false => (word, Share::Lost),
        }
    }
}
