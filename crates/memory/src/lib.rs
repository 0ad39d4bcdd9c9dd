//! The in-memory store: counters at memory speed, in bounded memory.
//!
//! A counter is a 16-byte slot in a fixed table of atomics: a keyed 64-bit fingerprint and one word
//! of state. A charge on one counter is a compare-and-swap; charges on several are decided under
//! ordered locks that nobody else can see half of. What does not fit a word (huge amounts, odd rates,
//! the sliding log, algorithms of your own) lives in a bounded side table.
//!
//! ```
//! use tollgate_core::{Charge, Cost, CounterKey, ImmediateStore, Limit, RuleId, SystemClock};
//! use tollgate_memory::MemoryStore;
//!
//! let store = MemoryStore::new(SystemClock);
//! let limit: Limit = "1/day".parse()?;
//! let key = CounterKey::new(RuleId::default(), b"user:42");
//! let charge = [Charge::new(key, &limit, Cost::ONE)];
//! assert!(store.charge_now(&charge).is_allowed());
//! assert!(!store.charge_now(&charge).is_allowed());
//! # Ok::<(), tollgate_core::LimitError>(())
//! ```
#![warn(missing_docs)]

mod batch;
mod cell;
mod class;
mod overflow;
mod pack;
mod pages;
mod place;
mod save;
mod shard;
mod slot;
mod stats;
mod store;
mod sync;
mod table;
mod transaction;
mod word;

pub use cell::{CellStats, CellStore, Throttle, ThrottleError, Throttled};
pub use save::{LoadError, SAVED_PERIOD_MIN};
pub use stats::{RuleOverflow, Stats};
pub use store::MemoryStore;
