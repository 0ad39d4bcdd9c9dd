//! 128-bit arithmetic that stays in 64 bits where the numbers allow it.

/// The greatest common divisor; of zero and `b`, `b`.
pub(crate) const fn gcd(mut a: u64, mut b: u64) -> u64 {
    while let Some(rest) = a.checked_rem(b) {
        a = b;
        b = rest;
    }
    a
}

/// `a / b` rounded down, at most `u64::MAX`; `u64::MAX` for a divisor of zero.
#[inline]
pub(crate) fn div_floor(a: u128, b: u64) -> u64 {
    match u64::try_from(a) {
        Ok(small) => small.checked_div(b).unwrap_or(u64::MAX),
        Err(_) => saturate(a.checked_div(u128::from(b))),
    }
}

/// `a / b` rounded up, at most `u64::MAX`; `u64::MAX` for a divisor of zero.
#[inline]
pub(crate) fn div_ceil(a: u128, b: u64) -> u64 {
    let Some(round_up) = b.checked_sub(1) else {
        return u64::MAX;
    };
    div_floor(a.saturating_add(u128::from(round_up)), b)
}

/// `a · b` without loss: two 64-bit numbers multiply to less than 2^128.
#[inline]
pub(crate) fn mul(a: u64, b: u64) -> u128 {
    u128::from(a).wrapping_mul(u128::from(b))
}

/// A whole number that amounts of a limit are counted in: 64 bits where they are known to suffice, 128
/// bits otherwise.
pub(crate) trait Units: Copy + Ord {
    /// `a · b`, which the caller knows to fit.
    fn product(a: u64, b: u64) -> Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    /// Divided and rounded up.
    fn div_ceil(self, by: u64) -> u64;
}

impl Units for u64 {
    #[inline]
    fn product(a: u64, b: u64) -> Self {
        a.wrapping_mul(b)
    }

    #[inline]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline]
    fn minus(self, other: Self) -> Self {
        self.saturating_sub(other)
    }

    #[inline]
    fn div_ceil(self, by: u64) -> u64 {
        let rounding_up = self.wrapping_add(by.saturating_sub(1));
        rounding_up.checked_div(by).unwrap_or(Self::MAX)
    }
}

impl Units for u128 {
    #[inline]
    fn product(a: u64, b: u64) -> Self {
        mul(a, b)
    }

    #[inline]
    fn plus(self, other: Self) -> Self {
        self.saturating_add(other)
    }

    #[inline]
    fn minus(self, other: Self) -> Self {
        self.saturating_sub(other)
    }

    #[inline]
    fn div_ceil(self, by: u64) -> u64 {
        div_ceil(self, by)
    }
}

fn saturate(quotient: Option<u128>) -> u64 {
    quotient
        .and_then(|quotient| u64::try_from(quotient).ok())
        .unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisions_round_as_named() {
        assert_eq!(div_floor(7, 2), 3);
        assert_eq!(div_ceil(7, 2), 4);
        assert_eq!(div_ceil(8, 2), 4);
        assert_eq!(div_ceil(0, 5), 0);
        assert_eq!(div_floor(1 << 100, 1 << 50), 1 << 50);
        assert_eq!(div_ceil((1 << 100) + 1, 1 << 50), (1 << 50) + 1);
        assert_eq!(div_floor(u128::MAX, 1), u64::MAX);
        assert_eq!(gcd(60_000_000, 100), 100);
        assert_eq!(gcd(0, 7), 7);
    }
}
