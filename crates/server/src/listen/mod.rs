//! Sockets: accepting, reading, writing, and giving up in time. The protocols know nothing of them.

mod accept;
mod addresses;
mod bind;
mod buffers;
mod connection;
mod herald;
mod input;
mod output;
mod patience;
mod plain;
mod refusals;
mod session;
mod stream;
mod taken;
#[cfg(test)]
mod tests;

pub(crate) use accept::{Acceptor, Serve};
pub(crate) use addresses::Addresses;
pub use bind::BindError;
pub(crate) use bind::BoundSocket;
pub(crate) use connection::{Conversation, Terms};
pub(crate) use herald::Herald;
pub(crate) use input::{InputBudget, InputClaim, NoRoom};
pub(crate) use refusals::Refusals;
pub(crate) use session::{OUTPUT_BYTES_HIGH, Session, Step, Then};
pub(crate) use stream::{Peer, Stream, Way};
pub(crate) use taken::Taken;
