//! What happened.

/// What a store has done and met since it was started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Scripts that were answered.
    pub calls: u64,
    /// Decisions that those scripts took.
    pub decisions: u64,
    /// Calls that failed, by cause: `unreachable`, `silent`, `not_ready`, `busy`, `full`, `forbidden`,
    /// `moving`, `foreign`, `crowded`, `other`.
    pub failures: Vec<(&'static str, u64)>,
    /// Decisions that did not wait any longer.
    pub late: u64,
    /// Requests that the policies `open`, `closed` and `local` have answered, in this order.
    pub by_policy: [u64; 3],
    /// Units that were spent meanwhile and charged afterwards.
    pub settled: u64,
    /// Units that were given back.
    pub given_back: u64,
    /// Counters that await settlement.
    pub owing: u64,
    /// Counters whose settlement was given up because too many awaited it.
    pub unsettled: u64,
    /// Changes that met another's and were tried again.
    pub conflicts: u64,
}
