//! Where a request really came from, by what the proxies on its way noted.

mod address;
mod hops;
mod proxies;

pub use address::{ProxyHeader, client_address, client_address_by};
pub use proxies::{ProxiesError, TrustedProxies};
