//! Keyed fingerprints of counters.

use std::hash::{BuildHasher, Hasher, RandomState};

use siphasher::sip::SipHasher13;

use crate::{CounterKey, Period, RuleId};

/// Turns a counter's identity (rule, period, key values) into 64 bits that nobody outside can predict,
/// so nobody can craft keys that fall together.
///
/// Among n live keys the odds that any two share a counter are n² / 2^65: one in 37 million for a
/// million keys.
///
/// ```
/// use tollgate_core::{CounterKey, Fingerprinter, Period, RuleId};
///
/// let hash = Fingerprinter::random();
/// let key = CounterKey::new(RuleId::default(), b"user:42");
/// assert_ne!(hash.counter(key, Period::MINUTE), hash.counter(key, Period::HOUR));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Fingerprinter {
    values: SipHasher13,
    secrets: [u64; 4],
}

impl Fingerprinter {
    /// With secrets of its own.
    pub fn random() -> Self {
        let random = || RandomState::new().build_hasher().finish();
        Self::with_secrets([random(), random(), random(), random()])
    }

    /// With the secrets of an earlier one, whose fingerprints it repeats.
    pub fn with_secrets(secrets: [u64; 4]) -> Self {
        Self { values: SipHasher13::new_with_keys(secrets[0], secrets[1]), secrets }
    }

    /// What makes it repeatable.
    pub const fn secrets(&self) -> [u64; 4] {
        self.secrets
    }

    /// Of a counter. Never zero, which marks an empty slot.
    #[inline]
    pub fn counter(&self, key: CounterKey<'_>, period: Period) -> u64 {
        let values = self.values.hash(key.values());
        (values ^ self.salt(key.rule(), period)).max(1)
    }

    /// Of a key that no rule is about. Never zero.
    #[inline]
    pub fn bytes(&self, key: &[u8]) -> u64 {
        self.values.hash(key).max(1)
    }

    /// What all counters of a rule's limit have in common. Rules and periods come from the operator,
    /// so mixing is enough; the caller's part goes through the keyed hash.
    #[inline]
    #[expect(
        clippy::as_conversions,
        clippy::cast_possible_truncation,
        reason = "takes the lower half"
    )]
    pub fn salt(&self, rule: RuleId, period: Period) -> u64 {
        let (low, high) = (rule.get() as u64, (rule.get() >> 64) as u64);
        let rule = fold(low ^ self.secrets[2], high ^ self.secrets[3]);
        fold(rule ^ period.id(), self.secrets[2] | 1)
    }
}

/// Both halves of the product in one.
#[inline]
#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "takes the halves apart"
)]
const fn fold(a: u64, b: u64) -> u64 {
    let product = (a as u128).wrapping_mul(b as u128);
    (product as u64) ^ ((product >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_period_and_values_all_count() {
        let hash = Fingerprinter::with_secrets([1, 2, 3, 4]);
        let of = |rule, values: &'static [u8], period| {
            hash.counter(CounterKey::new(RuleId::new(rule), values), period)
        };
        let base = of(7, b"a", Period::MINUTE);
        assert_eq!(base, of(7, b"a", Period::MINUTE));
        assert_ne!(base, of(8, b"a", Period::MINUTE));
        assert_ne!(base, of(7 << 64, b"a", Period::MINUTE));
        assert_ne!(base, of(7, b"b", Period::MINUTE));
        assert_ne!(base, of(7, b"a", Period::HOUR));
        let other = Fingerprinter::with_secrets([1, 9, 3, 4]);
        assert_ne!(base, other.counter(CounterKey::new(RuleId::new(7), b"a"), Period::MINUTE));
    }
}
