//! By what requests are told apart.

mod facts;
mod header;
mod peer_ip;
mod role;

pub use facts::{Facts, Or};
pub(crate) use facts::{Peer, Value, with_key};
#[allow(unused_imports, reason = "for the feature `jwt`")]
pub(crate) use header::shown_token;
pub use header::{BearerToken, Header, KeyFn, PathParam, bearer_token, header, key_fn, path_param};
pub(crate) use peer_ip::IpText;
pub use peer_ip::{PeerIp, peer_ip};
pub use role::{As, Key, Role};
