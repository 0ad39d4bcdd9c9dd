//! A limit that a request brings along.

use tollgate_core::Limit;

/// What a request with an Envoy descriptor may bring along: a limit that counts by the descriptor, in the
/// place of every throttle of the rules. Blocks and exemptions stay.
///
/// ```
/// use tollgate_core::Timestamp;
/// use tollgate_rules::{Directory, OwnLimit, Query, RuleSet, Snapshot};
///
/// let rules: RuleSet = "version: 1\nrules: [{ name: all, key: [], limit: 5/min }]".parse()?;
/// let snapshot = Snapshot::compile(&rules, 1);
/// let mut query = Query::new().descriptor(&[("user", "alice")])?;
/// query.set_own_limit(OwnLimit::Limit("100/h".parse()?));
///
/// let plan = snapshot.plan(&query, &Directory::new(), Timestamp::EPOCH);
/// assert_eq!(plan.lines()[0].limit().limit.to_string(), "100/h");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OwnLimit {
    /// Nothing may pass.
    Nothing,
    /// So much may pass.
    Limit(Limit),
}
