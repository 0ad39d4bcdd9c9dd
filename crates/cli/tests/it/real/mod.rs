//! What starts programs from outside: databases, gateways, clients.

mod bypass;
mod cli;
pub(crate) mod docs;
pub(crate) mod fleet;
mod gateways;
mod serve;
mod tls;
