//! What Tollgate's own tests share: one contract for every store, an oracle to hold stores against,
//! the bodies of the fuzz targets, a real PostgreSQL, real Redis and Valkey, real gateways, certificates for
//! a day, and a network that fails on command. For development only.
//!
//! A store shows that it keeps the contract in one line of a test file:
//!
//! ```
//! use tollgate_testkit::{ReferenceStore, store_contract};
//!
//! store_contract!(reference, |clock: ManualClock| ReferenceStore::new(clock));
//! # fn main() {}
//! ```
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test support: to panic is how a failed test speaks"
)]

mod backend;
mod block_on;
pub mod certificates;
pub mod contract;
mod deadline;
mod envoy;
mod fast;
pub mod fuzz;
mod fuzz_forwarded;
mod fuzz_http;
pub mod gateway;
pub mod jwt;
mod notation;
mod own_process;
mod ports;
pub mod postgres;
mod processes;
mod program;
pub mod proxy;
mod pypi;
pub mod redis;
mod reference;
pub mod resp;
mod rng;
pub mod tls;

pub use backend::{BACKEND_SAYS, Backend};
pub use block_on::block_on;
pub use deadline::wait_for;
pub use envoy::Envoy;
pub use fast::rounds;
pub use notation::{describe, limit};
pub use own_process::{one_test, ran_alone};
pub use ports::free_address;
pub use program::program;
pub use pypi::pypi;
pub use reference::ReferenceStore;
pub use rng::Rng;
