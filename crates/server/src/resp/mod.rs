//! Decisions over the Redis protocol.

mod catalog;
mod client;
mod convert;
mod describe;
mod facts;
mod hello;
mod run;
mod session;
#[cfg(test)]
mod tests;

pub(crate) use session::RespServe;
#[cfg(test)]
pub(crate) use session::RespSession;
