//! Decisions over the Redis protocol.

mod serve;

pub(crate) use serve::RespServe;
