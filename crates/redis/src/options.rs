//! What a store has to be told.

use std::{fmt, time::Duration};

use crate::Journal;

/// Says what a counter's key is made of: calls back with the name and the value of each fact, in order.
/// Names are those of SPEC section 11: `user`, `org`, `api_key`, `ip`, `tier`, `region`, `endpoint`, `method`,
/// `attributes.x`; an address is handed over as text.
pub type Naming = fn(values: &[u8], part: &mut dyn FnMut(&str, &[u8]));

/// Where Redis is and how it is used.
#[derive(Clone)]
pub struct Options {
    /// `redis://` or `rediss://` addresses: one server, or any nodes of one Cluster.
    pub urls: Vec<String>,
    /// Certificates, as PEM, of the authorities to believe besides the system's.
    pub authorities: Option<Vec<u8>>,
    /// What the names of all counters begin with: fleets that share a Redis need one each.
    pub prefix: String,
    /// This node's name in metrics.
    pub node: String,
    /// How long a decision may wait.
    pub deadline: Duration,
    /// What counters' keys are made of.
    pub naming: Naming,
    /// Whether nodes lease slices of limits whose rules allow it.
    pub leases: Leases,
    /// What the processes of this node before had spent.
    pub journal: Journal,
    /// Processes that were there before, of other nodes as well: if one of them is missing when a server has lost its
    /// memory, counters are in doubt.
    pub peers: Vec<Peer>,
}

/// A process of the fleet, as others have seen it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Its name: [`crate::RedisStore::process`].
    pub name: String,
    /// How long ago it was last seen.
    pub silent_for: Duration,
    /// How long what it spent may count: [`crate::RedisStore::life`].
    pub life: Duration,
}

/// Whether a node spends slices that Redis has granted to it before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Leases {
    /// Where the rule says so and the limit can be leased.
    #[default]
    On,
    /// Every limit is counted exactly: each decision asks Redis.
    Off,
}

impl Options {
    /// How long a decision waits unless told otherwise.
    pub const DEADLINE: Duration = Duration::from_millis(5);

    /// These servers, with everything else as it is by default.
    pub fn new(urls: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            urls: urls.into_iter().map(Into::into).collect(),
            authorities: None,
            prefix: "rl".to_owned(),
            node: "local".to_owned(),
            deadline: Self::DEADLINE,
            naming: |values, part| part("key", values),
            leases: Leases::On,
            journal: Journal::default(),
            peers: Vec::new(),
        }
    }
}

/// Addresses may carry passwords: only their number is shown.
impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("urls", &self.urls.len())
            .field("node", &self.node)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}

/// Why a store cannot be made. Redis being away is no reason.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OptionsError {
    /// There is no address.
    #[error("no address of Redis: give one like redis://127.0.0.1:6379")]
    NoAddress,
    /// An address is none. Its text is not repeated, since it may hold a password.
    #[error("address {place} of Redis: {why}; write it like redis://user:password@host:6379")]
    Address {
        /// Which, from 1.
        place: usize,
        /// What is wrong.
        why: String,
    },
    /// The authorities cannot be read.
    #[error("the authorities for Redis: {0}")]
    Authorities(String),
}
