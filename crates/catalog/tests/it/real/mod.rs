//! On a real PostgreSQL.

mod contract;
mod killed;
mod live;
mod watch;
