//! Decisions over the Redis protocol.

mod catalog;
mod checks;
mod client;
mod convert;
mod describe;
mod facts;
mod hello;
mod run;
mod serve;
mod session;
#[cfg(test)]
mod tests;
mod throttle;
mod verb;

pub(crate) use serve::RespServe;
pub(crate) use session::RespSession;
