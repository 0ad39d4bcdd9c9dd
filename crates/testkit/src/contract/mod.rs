//! What every store promises, as plain functions that panic where a store breaks it.
//!
//! Each takes a function that makes an empty store on a given clock. The macro
//! [`store_contract!`](crate::store_contract) turns all of them into tests.

pub mod all_or_none;
pub mod batch;
pub mod binding;
pub mod bursts;
pub mod changes;
pub mod clocks;
pub mod concurrent;
pub mod custom;
pub mod denials;
pub mod extremes;
pub mod identity;
pub mod laws;
mod macros;
mod make;
pub mod random;
pub mod retry;
mod rig;
mod script;
pub mod side_door;
pub mod soak;

pub use make::{Make, Short};
pub use random::{Coverage, random};
pub use rig::Rig;
#[doc(hidden)]
pub use tollgate_core::{ImmediateStore, ManualClock, Store};
