//! A real PostgreSQL server for tests: its own data folder, its own port, gone afterwards however
//! the test ends.
//!
//! ```no_run
//! use tollgate_testkit::postgres::Postgres;
//!
//! let database = Postgres::shared().database("example");
//! database.execute("create table t (n int); insert into t values (7)");
//! assert_eq!(database.execute("select n from t"), "7");
//! ```
//!
//! Tests that stop or pause the server start one of their own with [`Postgres::start`]; all others
//! take a database of [`Postgres::shared`]. Everything here panics when it fails, and nothing waits
//! without a deadline. PostgreSQL 15 or newer, on Linux; a missing program is a failure.

mod account;
mod database;
mod folder;
mod programs;
mod run;
mod server;
mod sql;
mod watcher;

pub use database::{Database, Dump};
pub(crate) use run::SHORT;
pub use server::Postgres;
pub use sql::{Connections, SqlError};
