//! Conversations, byte by byte, without a socket.
// Proves: S3, S6, D15

mod access;
mod callers;
mod cells;
mod checks;
mod connection;
mod manual;
mod order;
mod rig;
