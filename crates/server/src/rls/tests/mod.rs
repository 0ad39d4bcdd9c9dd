//! What Envoy is told.

mod agree;
mod answers;
mod any_bytes;
mod fallback;
mod rig;
mod sockets;
mod wrong;
