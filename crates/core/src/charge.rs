//! One limit applied to one request.

use std::fmt;

use crate::{Cost, Limit, Policy};

/// Which rule a counter belongs to. Every node gives a rule the same id.
///
/// ```
/// use tollgate_core::RuleId;
///
/// assert_eq!(RuleId::new(7).get(), 7);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(u128);

impl RuleId {
    /// The rule with this number.
    pub const fn new(id: u128) -> Self {
        Self(id)
    }

    /// The rule's number.
    pub const fn get(self) -> u128 {
        self.0
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// Whose counter: a rule and the values of its key fields. The limit's period completes the identity
/// of a counter.
///
/// The values are one run of bytes. Several are joined by [`CounterKey::join`], which keeps
/// (`a_b`, `c`) and (`a`, `b_c`) apart.
///
/// ```
/// use tollgate_core::{CounterKey, RuleId};
///
/// let mut bytes = Vec::new();
/// CounterKey::join(["a_b", "c"], &mut bytes);
/// let other = { let mut bytes = Vec::new(); CounterKey::join(["a", "b_c"], &mut bytes); bytes };
/// assert_ne!(CounterKey::new(RuleId::default(), &bytes), CounterKey::new(RuleId::default(), &other));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CounterKey<'a> {
    rule: RuleId,
    values: &'a [u8],
}

impl<'a> CounterKey<'a> {
    /// The counter of `rule` for these values.
    pub const fn new(rule: RuleId, values: &'a [u8]) -> Self {
        Self { rule, values }
    }

    /// Appends each value with its length before it, so that different lists never look alike.
    pub fn join<'v>(values: impl IntoIterator<Item = &'v str>, out: &mut Vec<u8>) {
        for value in values {
            out.extend_from_slice(&u64::try_from(value.len()).unwrap_or(u64::MAX).to_be_bytes());
            out.extend_from_slice(value.as_bytes());
        }
    }

    /// The rule.
    pub const fn rule(&self) -> RuleId {
        self.rule
    }

    /// The values of the rule's key fields.
    pub const fn values(&self) -> &'a [u8] {
        self.values
    }
}

/// Keys are caller data and may be secret: only their size is shown.
impl fmt::Debug for CounterKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CounterKey({}, {} bytes)", self.rule, self.values.len())
    }
}

/// What a request asks of one counter.
///
/// ```
/// use tollgate_core::{Charge, Cost, CounterKey, Limit, RuleId};
///
/// let limit: Limit = "100/min".parse()?;
/// let charge = Charge::new(CounterKey::new(RuleId::default(), b"user:42"), &limit, Cost::ONE);
/// assert_eq!(charge.cost, Cost::ONE);
/// # Ok::<(), tollgate_core::LimitError>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Charge<'a> {
    /// Whose counter.
    pub key: CounterKey<'a>,
    /// The limit now in force.
    pub limit: &'a Limit,
    /// Limits of other periods that this one lately replaced: a key still counted by one of them is
    /// carried over (D14).
    pub former: &'a [Limit],
    /// How much.
    pub cost: Cost,
    /// How the counter is shared among nodes.
    pub policy: Policy,
}

impl<'a> Charge<'a> {
    /// A charge of `cost` against `limit`.
    pub const fn new(key: CounterKey<'a>, limit: &'a Limit, cost: Cost) -> Self {
        Self { key, limit, former: &[], cost, policy: Policy::FLEET }
    }

    /// The same charge of another cost.
    #[must_use]
    pub const fn with_cost(self, cost: Cost) -> Self {
        Self { cost, ..self }
    }

    /// The same charge against a limit that lately replaced `former`.
    #[must_use]
    pub const fn replacing(self, former: &'a [Limit]) -> Self {
        Self { former, ..self }
    }

    /// The same charge, shared among nodes like this.
    #[must_use]
    pub const fn under(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }
}
