//! Black-box stories: a real server, real sockets, real clients.

mod asking;
mod callers;
mod crowd;
mod first_steps;
mod first_token;
mod flood;
mod identity;
pub(crate) mod lifetime;
pub(crate) mod metrics;
mod overflow;
mod penalty;
pub(crate) mod proxied;
pub(crate) mod resp_clients;
mod restart;
mod roles;
mod secrets;
mod status;
mod tiers;
