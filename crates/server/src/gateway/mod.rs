//! What a gateway that asks for its clients says of them: where they call from, and what they want.

mod address;
pub(crate) mod ascii;
mod convert;
#[cfg(test)]
mod tests;

pub use address::TrustedCallers;
pub(crate) use address::{ClientAddress, UnknownClient};
pub(crate) use convert::{Astray, Gateway, Says, query};
pub use tollgate_wire::forwarded::{ProxiesError, ProxyHeader, TrustedProxies};
