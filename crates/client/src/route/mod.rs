//! Which server is asked.
//!
//! Every question has an order of servers, the same for every client: whoever asks about one organisation asks
//! the same server, which so has its counters at hand. When a server goes, only its own questions move, each
//! to its second; when it is back, they return. A server that is much busier than the others is passed over.

mod key;
#[cfg(test)]
mod route_test;

pub(crate) use key::{Order, choose, key, order, server};

/// By which fact a question finds its server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RouteBy {
    /// By the organisation.
    Org,
    /// By the user.
    User,
    /// By the API key.
    ApiKey,
    /// By the address.
    Ip,
    /// By the path.
    Endpoint,
}
