//! Sockets: accepting, reading, writing, and giving up in time. The protocols know nothing of them.

mod session;

pub(crate) use session::{OUTPUT_BYTES_HIGH, Session, Step, Then};
