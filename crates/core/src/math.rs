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
    fn div_ceil(self, by: Divisor) -> u64;
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
    fn div_ceil(self, by: Divisor) -> u64 {
        by.div_floor(self.wrapping_add(by.get().wrapping_sub(1)))
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
    fn div_ceil(self, by: Divisor) -> u64 {
        div_ceil(self, by.get())
    }
}

/// A number to divide by often. A division takes tens of cycles on many processors, two multiplications
/// a few.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Divisor {
    divisor: u64,
    /// 2^64 − 1 divided by it, rounded down.
    reciprocal: u64,
}

impl Divisor {
    /// Dividing by zero gives zero.
    pub(crate) const fn new(divisor: u64) -> Self {
        let reciprocal = match u64::MAX.checked_div(divisor) {
            Some(reciprocal) => reciprocal,
            None => 0,
        };
        Self { divisor, reciprocal }
    }

    #[inline]
    pub(crate) const fn get(self) -> u64 {
        self.divisor
    }

    /// `number` divided and rounded down.
    #[inline]
    #[expect(clippy::as_conversions, reason = "the upper half of the product")]
    pub(crate) const fn div_floor(self, number: u64) -> u64 {
        // The reciprocal is too small by less than one part in 2^64, so the quotient by at most one.
        let quotient = ((number as u128).wrapping_mul(self.reciprocal as u128) >> 64) as u64;
        let rest = number.wrapping_sub(quotient.wrapping_mul(self.divisor));
        let is_short = rest >= self.divisor && self.divisor > 0;
        quotient.wrapping_add(is_short as u64)
    }
}

fn saturate(quotient: Option<u128>) -> u64 {
    quotient.and_then(|quotient| u64::try_from(quotient).ok()).unwrap_or(u64::MAX)
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

    // Proves: D2
    #[test]
    fn a_divisor_divides_exactly() {
        let edges = |of: u64| [0, 1, 2, of / 2, of.wrapping_sub(1), of, of.wrapping_add(1)];
        let mut mixed = 1_u64;
        for round in 0..200_000_u64 {
            mixed = mixed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(round);
            let divisor = (mixed >> (round % 64)).max(1);
            let by = Divisor::new(divisor);
            let multiple = divisor.wrapping_mul(mixed >> 32);
            for number in edges(multiple).into_iter().chain(edges(mixed)).chain(edges(u64::MAX)) {
                assert_eq!(by.div_floor(number), number / divisor, "{number} / {divisor}");
            }
        }
        assert_eq!(Divisor::new(0).div_floor(7), 0);
    }
}
