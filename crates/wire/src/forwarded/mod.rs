//! Where a request really came from, by what the proxies on its way noted.

mod address;
mod header;
mod hops;
mod proxies;

pub use address::{UnreadableClient, client_address};
pub use header::{ProxyHeader, ProxyHeaderError, SingleHeader, is_of_proxy};
pub use proxies::{ProxiesError, TrustedProxies};
