//! Counters of `CL.THROTTLE`: one arrival time for a key, its numbers brought along with each call.
//!
//! The answers are redis-cell's to the last digit (`tollgate_sim::model::CellModel` is what it
//! computes). The table is bounded: beyond its capacity the key that owes the least makes room, and what it
//! owes stays in a sketch.

mod arithmetic;
mod ask;
mod debts;
mod save;
mod shard;
mod stats;
mod store;

pub use ask::{Throttle, ThrottleError, Throttled};
pub use stats::CellStats;
pub use store::CellStore;
