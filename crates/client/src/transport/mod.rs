//! Connections to one server, and the protocols they speak.

mod address;
mod claim;
mod codec;
mod connect;
mod connection;
mod line;
mod order;
mod papers;
mod pool;
mod reader;
mod sync;

pub(crate) use address::{Address, Privacy, shown};
pub(crate) use codec::{Question, Writer};
pub(crate) use connect::Tcp;
pub use connect::{Connect, Connecting, Stream};
pub(crate) use order::{Lost, Said};
pub(crate) use papers::Papers;
pub(crate) use pool::{Call, Pool};
