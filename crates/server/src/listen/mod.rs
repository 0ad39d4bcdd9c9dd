//! Sockets: accepting, reading, writing, and giving up in time. The protocols know nothing of them.

mod accept;
mod addresses;
mod bind;
mod buffers;
mod connection;
mod herald;
mod plain;
mod stream;
mod taken;
#[cfg(test)]
mod tests;

pub(crate) use accept::{Acceptor, Refusals, Serve};
pub(crate) use addresses::Addresses;
pub use bind::BindError;
pub(crate) use bind::BoundSocket;
pub(crate) use buffers::{InputBudget, InputClaim, NoRoom};
pub(crate) use connection::{Conversation, OUTPUT_BYTES_HIGH, Session, Step, Terms, Then};
pub(crate) use herald::Herald;
pub(crate) use stream::{Peer, Stream, Way};
pub(crate) use taken::Taken;
