//! A limit as the server told it.

use std::sync::Arc;

use tollgate_core::{AlgorithmName, Limit};
use tollgate_wire::check::LimitTold;

use super::{KeyField, Weight};

/// A limit that the server counts a question against, and by which of its facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToldLimit {
    /// Whose it is.
    pub(crate) rule: Arc<str>,
    /// Amount, period, burst, algorithm.
    pub(crate) per: Limit,
    /// By which facts it is counted; empty if all share one counter.
    pub(crate) key: Arc<[KeyField]>,
    /// Whom it is for.
    pub(crate) whom: Whom,
    /// What a request weighs under it.
    pub(crate) weight: Weight,
}

/// Whom a limit is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whom {
    /// Everybody who asks the like.
    Everybody,
    /// Whoever asked, beside what is for everybody: of an API key, or agreed with a user.
    OneBeside,
    /// Whoever asked, in the place of what is for everybody: an override.
    OneInstead,
}

/// How the limits of an API key and of a user are called; rules cannot be called so.
const BESIDE: [&str; 2] = ["api-key:", "quota:"];

impl ToldLimit {
    /// From the texts of the protocol; none if they make no limit.
    pub(crate) fn read(told: &LimitTold) -> Option<Self> {
        let per = told.per.as_deref()?.parse::<Limit>().ok()?;
        let algorithm = told.algorithm.as_deref()?.parse::<AlgorithmName>().ok()?;
        let per = per.with_algorithm(algorithm).ok()?;
        let per = match told.burst {
            Some(burst) => per.with_burst(burst).ok()?,
            None => per,
        };
        let is_beside = BESIDE.iter().any(|prefix| told.rule.starts_with(prefix));
        Some(Self {
            rule: (*told.rule).into(),
            per,
            key: told.key.iter().map(|field| KeyField::read(field)).collect(),
            whom: match (told.overridden, is_beside) {
                (true, _) => Whom::OneInstead,
                (false, true) => Whom::OneBeside,
                (false, false) => Whom::Everybody,
            },
            weight: Weight::read(told.cost.as_deref()),
        })
    }
}
