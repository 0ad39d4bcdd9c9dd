//! The loop and the acceptor, over real sockets, with the plainest of protocols.

mod rig;
mod sealed;
mod stories;
