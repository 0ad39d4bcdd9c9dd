//! A limit as the server told it.

use std::sync::Arc;

use tollgate_core::{AlgorithmName, Limit};

use super::KeyField;

/// A limit that the server counts a question against, and by which of its facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToldLimit {
    /// Whose it is.
    pub(crate) rule: Arc<str>,
    /// Amount, period, burst, algorithm.
    pub(crate) per: Limit,
    /// By which facts it is counted; empty if all share one counter.
    pub(crate) key: Arc<[KeyField]>,
}

impl ToldLimit {
    /// From the texts of the protocol; none if they make no limit.
    pub(crate) fn read<'t>(
        rule: Arc<str>,
        per: &str,
        algorithm: &str,
        burst: Option<u64>,
        key: impl IntoIterator<Item = &'t str>,
    ) -> Option<Self> {
        let per = per.parse::<Limit>().ok()?;
        let algorithm = algorithm.parse::<AlgorithmName>().ok()?;
        let per = per.with_algorithm(algorithm).ok()?;
        let per = match burst {
            Some(burst) => per.with_burst(burst).ok()?,
            None => per,
        };
        let key = key.into_iter().map(KeyField::read).collect();
        Some(Self { rule, per, key })
    }
}
