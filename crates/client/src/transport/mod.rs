//! Connections to one server, and the protocols they speak.

mod address;
mod claim;
mod codec;
mod connect;
mod connection;
mod pool;
mod reader;
mod sync;

pub(crate) use address::{Address, Privacy, shown};
pub(crate) use codec::{Question, Writer};
pub use connect::{Connect, Connecting, Stream};
pub(crate) use connect::{Papers, Tcp};
pub(crate) use connection::{Lost, Said};
pub(crate) use pool::{Call, Pool};
