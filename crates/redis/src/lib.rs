//! Counters that a fleet shares through Redis or Valkey, single or Cluster.
//!
//! A decision is one atomic script on the server that holds the counter, by that server's clock. Checks that
//! come while a script is under way travel together in the next. When Redis is slow or gone, the policy of
//! the rule answers within the deadline, and what was spent meanwhile is settled afterwards.
#![warn(missing_docs)]

mod assert;
mod client;
mod custom;
mod exact;
mod examination;
mod extent;
mod fleet;
mod health;
mod heard;
mod inherited;
mod journal;
mod key;
mod lease;
mod ledger;
mod options;
mod record;
mod script;
mod slot;
mod stats;
mod store;
mod time;
mod touched;
mod unknown;
mod verify;
#[cfg(feature = "virtual-time")]
mod virtual_time;

pub use client::examine;
pub use examination::{Door, Examination, Offset, Primary, Trouble};
pub use health::{Doubt, Finding, Health, Layout, ShardHealth, Standing};
pub use journal::{Ending, Journal, JournalError};
pub use options::{Leases, Naming, Options, OptionsError, Peer};
pub use stats::{LeaseStats, Stats};
pub use store::RedisStore;
