//! Decisions over the Redis protocol.

mod catalog;
mod checks;
mod client;
mod convert;
mod describe;
mod facts;
mod hello;
mod names;
mod run;
mod session;
mod throttle;
mod verb;

#[cfg(test)]
mod tests;

pub(crate) use session::RespSession;
