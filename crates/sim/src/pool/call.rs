//! What holders and pools say to each other. All times are microseconds, all amounts are units of cost.

use tollgate_core::Limit;

/// A question for a slice: what is said of the one before, and what is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// Who asks.
    pub node: String,
    /// Since when absent counters may be lost ones, by the clock of the pool; zero for never.
    pub since: u64,
    /// The number of this call among those of its node.
    pub sequence: u64,
    /// The call whose lease `spent` and `returned` are about; zero for none.
    pub previous: u64,
    /// What was spent of that lease since it was last reported.
    pub spent: u64,
    /// What is given back of it.
    pub returned: u64,
    /// What is wanted; zero to settle only.
    pub want: u64,
    /// Less than this is of no use.
    pub least: u64,
    /// More than this is not to be held.
    pub most: u64,
    /// How long a lease lasts.
    pub life: u64,
    /// Everything this node has debited, as last heard; zero if it asserts nothing.
    pub known: u64,
    /// How much of it was debited in the window of `at`.
    pub present: u64,
    /// How much of it was debited in the window before that.
    pub before: u64,
    /// When it was debited.
    pub at: u64,
}

/// What a pool answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The call was heard.
    Heard(Figures),
    /// The record is of another law or version.
    Odd,
    /// There is no record, and one may have been lost.
    Unknown,
    /// The key holds something else.
    Foreign,
    /// A later call of this node came before.
    Stale,
}

/// Whether a slice could be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// It could, or will.
    Granted,
    /// Little is left of the window: each request is to be counted exactly.
    Collapsed,
}

/// What the previous lease has become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// What was not reported of it is still the holder's.
    Kept,
    /// The holder has to forget whatever it had.
    Lost,
}

/// The numbers of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figures {
    /// Whether a slice could be had.
    pub word: Word,
    /// What the previous lease has become.
    pub share: Share,
    /// New units.
    pub granted: u64,
    /// How long they last from the moment of the answer.
    pub life: u64,
    /// What is left in the pool.
    pub left: u64,
    /// How long until something can be granted.
    pub wait: u64,
    /// How long until the window ends, or the bucket is full.
    pub reset: u64,
    /// What other holders hold.
    pub outstanding: u64,
    /// How many hold something, the caller included.
    pub holders: u64,
    /// What the caller has debited in all.
    pub total: u64,
}

/// What became of requests that were counted exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Charged {
    /// Whether each was admitted, and the node's total.
    Decided {
        /// One for each request, in order.
        outcomes: Vec<bool>,
        /// What the caller has debited in all.
        total: u64,
    },
    /// As for leases.
    Odd,
    /// As for leases.
    Unknown,
    /// As for leases.
    Foreign,
    /// As for leases.
    Stale,
}

/// What a record says, in numbers that do not depend on how it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Units in use: of buckets those missing until full, in the smallest unit; of windows those of the present one.
    pub used: u64,
    /// Units in use of the window before.
    pub before: u64,
    /// Leases that have not ended: node, sequence, end, units, units last granted; by node.
    pub leases: Vec<(String, u64, u64, u64, u64)>,
}

/// Whoever grants leases on one key.
pub trait Pool {
    /// Asks for a slice.
    fn lease(&mut self, now: u64, limit: &Limit, call: &Call) -> Reply;

    /// Asks for requests to be counted exactly.
    fn charge(
        &mut self,
        now: u64,
        limit: &Limit,
        caller: (&str, u64, u64),
        costs: &[u64],
    ) -> Charged;

    /// What it holds.
    fn record(&mut self, now: u64, limit: &Limit) -> Record;

    /// A copy as a replica has it, to go back to.
    fn copy(&mut self) -> Self;

    /// Forgets everything.
    fn forget(&mut self);
}
