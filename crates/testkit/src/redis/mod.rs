//! Real Redis and Valkey servers for tests, single or as a Cluster of six: each with a folder and ports of its
//! own, gone afterwards however the test ends.
//!
//! ```no_run
//! use tollgate_testkit::redis::Redis;
//!
//! let redis = Redis::start();
//! redis.command(&["SET", "key", "7"]);
//! assert_eq!(redis.command(&["INCR", "key"]), "8");
//! ```
//!
//! Everything here panics when it fails, and nothing waits without a deadline. Redis 7 or newer, Valkey 8 or
//! newer, on Linux; a missing program is a failure.

mod client;
mod cluster;
mod migration;
mod nodes;
mod server;
mod setup;
mod topology;
mod watcher;

pub use client::{Connection, Reply};
pub use cluster::Cluster;
pub use migration::Migration;
pub use server::Redis;
pub use setup::{Program, Setup};
