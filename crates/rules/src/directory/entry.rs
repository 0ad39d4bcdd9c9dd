//! One override as decisions use it.

use std::{cmp::Reverse, sync::Arc};

use tollgate_core::{
    AlgorithmName, Bands, Limit, LimitError, LimitLine, LimitSet, RuleId, Timestamp,
};

use crate::{Change, Factor, Override, counter};

/// An override, compact: its key as bytes, and what counts instead.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The rule; none is every rule that counts by the same facts.
    pub(super) rule: Option<RuleId>,
    pub(super) key: Box<[u8]>,
    /// Shared by all that say the same.
    pub(crate) change: Arc<Change>,
    pub(crate) until: Option<Timestamp>,
    /// Which of two is newer.
    pub(super) sequence: u64,
}

impl Entry {
    /// `None` if the override names a value that no request can have.
    pub(crate) fn new(rule: Option<RuleId>, exception: &Override, sequence: u64) -> Option<Self> {
        Some(Self {
            rule,
            key: counter::of_override(exception)?.as_slice().into(),
            change: Arc::new(exception.change.clone()),
            until: exception.until,
            sequence,
        })
    }

    pub(super) fn is_for(&self, rule: RuleId, key: &[u8]) -> bool {
        self.rule.is_none_or(|named| named == rule) && *self.key == *key
    }

    pub(crate) fn has_ended(&self, now: Timestamp) -> bool {
        self.until.is_some_and(|until| until <= now)
    }

    /// The lesser wins: temporary before permanent, newer before older, of one rule before of all.
    pub(super) fn precedence(&self) -> (bool, Reverse<u64>, bool) {
        (
            self.until.is_none(),
            Reverse(self.sequence),
            self.rule.is_none(),
        )
    }
}

impl Change {
    /// The limits that count instead of `lines`; `None` is no limit at all.
    pub(crate) fn apply(&self, lines: &[LimitLine]) -> Option<Vec<LimitLine>> {
        match self {
            Self::Unlimited => None,
            Self::Limits(limits) => Some(LimitLine::succeed(lines, &inheriting(limits, lines))),
            Self::Limit(limit) => Some(each(lines, |line| {
                let is_meant = line.period() == limit.period();
                is_meant.then(|| inherit(limit, line))
            })),
            Self::Factor(factor) => Some(each(lines, |line| Some(scaled(line, *factor)))),
        }
    }

    /// What this makes of a limit of the rule, in words, and why its algorithm cannot hold that; `None` if it can.
    pub(crate) fn misfit(&self, rule: &Limit) -> Option<(String, LimitError)> {
        let of_same_period =
            |stated: &&Limit| stated.period() == rule.period() && inherit(stated, rule).is_err();
        let refused = |stated: &Limit| Some((stated.to_string(), inherit(stated, rule).err()?));
        match self {
            Self::Unlimited => None,
            Self::Limit(limit) => Some(limit).filter(of_same_period).and_then(refused),
            Self::Limits(limits) => limits.iter().find(of_same_period).and_then(refused),
            Self::Factor(factor) => {
                let error = scaled(rule, *factor).err()?;
                Some((format!("{factor} of {rule}"), error))
            }
        }
    }

    /// The field that says what changes.
    pub(crate) const fn field(&self) -> &'static str {
        match self {
            Self::Limit(_) => "limit",
            Self::Limits(_) => "limits",
            Self::Factor(_) => "factor",
            Self::Unlimited => "unlimited",
        }
    }
}

/// Every line with another limit, where there is one that can be built.
fn each(
    lines: &[LimitLine],
    other: impl Fn(&Limit) -> Option<Result<Limit, LimitError>>,
) -> Vec<LimitLine> {
    let mut lines = lines.to_vec();
    for line in &mut lines {
        if let Some(Ok(limit)) = other(&line.limit) {
            line.limit = limit;
        }
    }
    lines
}

/// What the override leaves open is as in the rule: the algorithm, the burst, the thresholds. A burst
/// makes a token bucket, unless the rule's algorithm takes one too.
fn inherit(limit: &Limit, rule: &Limit) -> Result<Limit, LimitError> {
    let takes_burst = |name| {
        matches!(
            name,
            AlgorithmName::TokenBucket | AlgorithmName::LeakyBucket
        )
    };
    if limit.algorithm() == AlgorithmName::Custom {
        return Ok(limit.clone());
    }
    let algorithm = match (limit.chosen_algorithm(), limit.burst()) {
        (Some(name), _) => name,
        (None, Some(_)) if !takes_burst(rule.algorithm()) => AlgorithmName::TokenBucket,
        (None, _) => rule.algorithm(),
    };
    let inherited = rule.burst().filter(|_| takes_burst(algorithm));
    let bands = match limit.bands() {
        open if open == Bands::default() => rule.bands(),
        stated => stated,
    };
    built(limit, algorithm, limit.burst().or(inherited), bands)
}

/// Limits that replace all: one of a period the rule has inherits from it.
fn inheriting(limits: &LimitSet, lines: &[LimitLine]) -> LimitSet {
    let inherited = limits.iter().map(|limit| {
        let mut same = lines
            .iter()
            .filter(|line| line.limit.period() == limit.period());
        let rule = same.next();
        rule.and_then(|line| inherit(limit, &line.limit).ok())
            .unwrap_or_else(|| limit.clone())
    });
    LimitSet::new(inherited).unwrap_or_else(|_| limits.clone())
}

fn scaled(limit: &Limit, factor: Factor) -> Result<Limit, LimitError> {
    let amount = Limit::new(factor.of(limit.amount()), limit.period())?;
    // Nobody waiting, times anything, is nobody waiting.
    let times = |burst| if burst == 0 { 0 } else { factor.of(burst) };
    let burst = limit.burst().map(times);
    built(&amount, limit.algorithm(), burst, limit.bands())
}

/// A limit of the same amount and period.
fn built(
    like: &Limit,
    algorithm: AlgorithmName,
    burst: Option<u64>,
    bands: Bands,
) -> Result<Limit, LimitError> {
    let limit = Limit::new(like.amount(), like.period())?.with_algorithm(algorithm)?;
    let limit = match burst {
        Some(burst) => limit.with_burst(burst)?,
        None => limit,
    };
    limit.with_bands(bands)
}
