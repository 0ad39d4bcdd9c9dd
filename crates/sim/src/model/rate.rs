//! The numbers of a bucket, in the largest unit of which both a token and what a microsecond gives
//! are whole multiples.

use tollgate_core::Limit;

use super::recount::div_up;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate {
    /// Units gained in a microsecond.
    pub(crate) per_micro: i128,
    /// Units a token is worth.
    pub(crate) per_token: i128,
    /// Units the bucket holds.
    pub(crate) full: i128,
    /// Microseconds of one period: how far a clock may be set back before the bucket re-bases.
    pub(crate) length: i128,
}

impl Rate {
    pub(crate) fn new(limit: &Limit, capacity: i128) -> Self {
        let amount = i128::from(limit.amount());
        let length = i128::from(limit.period().length().get());
        let common = greatest_common_divisor(amount, length);
        let (per_micro, per_token) = (amount / common, length / common);
        Self { per_micro, per_token, full: capacity * per_token, length }
    }

    /// Whether tokens come alike, though the buckets may differ in size.
    pub(crate) fn is_as_fast_as(&self, other: &Self) -> bool {
        (self.per_micro, self.per_token) == (other.per_micro, other.per_token)
    }

    /// Units missing in `former` as units missing here: the same tokens to the last fraction,
    /// rounded up.
    pub(crate) fn carry(&self, missing: i128, former: &Self) -> i128 {
        let tokens = missing / former.per_token;
        let part = missing % former.per_token;
        self.inherited(tokens * self.per_token + div_up(part * self.per_token, former.per_token))
    }

    /// What is missing of units admitted under a limit that counted otherwise: no more than one period makes
    /// up for, once the bucket is merely empty.
    pub(crate) fn inherited(&self, missing: i128) -> i128 {
        let gained_in_a_period = self.length * self.per_micro;
        missing.min(self.full + gained_in_a_period)
    }

    pub(crate) fn tokens(&self, units: i128) -> i128 {
        div_up(units, self.per_token)
    }

    pub(crate) fn micros(&self, units: i128) -> i128 {
        div_up(units, self.per_micro)
    }
}

fn greatest_common_divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}
