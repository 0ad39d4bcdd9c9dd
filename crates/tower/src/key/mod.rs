//! By what requests are told apart.

mod alternative;
mod facts;
mod function;
mod header;
mod join;
mod path_param;
mod pattern;
mod peer_ip;
mod role;
mod together;

pub use alternative::Or;
pub use facts::Facts;
pub(crate) use facts::{Fact, Peer, Value};
pub use function::{KeyFn, key_fn};
#[allow(unused_imports, reason = "for the feature `jwt`")]
pub(crate) use header::shown_token;
pub use header::{BearerToken, Header, bearer_token, header};
pub(crate) use join::with_key;
pub use path_param::{PathParam, path_param};
pub(crate) use peer_ip::IpText;
pub use peer_ip::{PeerIp, peer_ip};
pub use role::{As, Key, Role};
