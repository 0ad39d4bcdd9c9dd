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
    /// What leases have come to.
    pub leases: LeaseStats,
}

/// What a node has done with slices of limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeaseStats {
    /// Units that decisions spent without a call, as far as it was reported.
    pub spent: u64,
    /// Calls that asked for slices or gave some back.
    pub calls: u64,
    /// Slices that were granted.
    pub grants: u64,
    /// Units that were granted.
    pub granted: u64,
    /// Units that were given back unspent.
    pub returned: u64,
    /// Units that ran out unspent, or were given up because nobody knew of them any more.
    pub burnt: u64,
    /// Times that little was left of a window, so that its rest was counted exactly.
    pub collapses: u64,
    /// Denials that were answered from memory.
    pub denials: u64,
    /// Keys that are leased now.
    pub keys: u64,
    /// Units that this node holds unspent now.
    pub held: u64,
    /// Keys that this node remembers to assert after a failover.
    pub touched: u64,
    /// Keys that it could not remember, because too many were touched.
    pub forgotten: u64,
    /// Keys asserted after failovers.
    pub asserted: u64,
    /// Units that Redis had lost, and was told of.
    pub reclaimed: u64,
    /// Refreshes that took at most 1, 5, 15, 50, 250 ms, and longer.
    pub refresh_latency: [u64; 6],
    /// How long all of them took together, in µs.
    pub refresh_us: u64,
    /// Units that were spent of keys of which more was wanted than there was, and units that were granted of them.
    pub saturated: (u64, u64),
    /// Keys that are verified now.
    pub verified: u64,
    /// Times that more was admitted than the law allows: always 0.
    pub overshoot: u64,
}
