//! Black-box stories: a server with clients, proxies and databases of others.

mod first_steps;
mod lifetime;
mod metrics;
mod proxied;
mod resp_clients;
mod schemathesis;
