//! What Envoy is told.

mod agree;
mod answers;
mod any_bytes;
mod rig;
mod sockets;
mod wrong;
