//! Rate limits as a tower layer: for axum, tonic, hyper and whatever else speaks [`tower_service::Service`].
//!
//! In your own process:
//!
//! ```
//! use axum::{Router, routing::get};
//! use tollgate_tower::TollgateLayer;
//!
//! let app: Router = Router::new()
//!     .route("/search", get(async || "found"))
//!     .layer(TollgateLayer::embedded("100/min")?);
//! # Ok::<(), tollgate_tower::Error>(())
//! ```
//!
//! Against a server, whose rules decide:
//!
//! ```
//! use axum::{Router, routing::get};
//! use tollgate_tower::{TollgateLayer, header};
//!
//! let app: Router = Router::new()
//!     .route("/search", get(async || "found"))
//!     .layer(TollgateLayer::remote("http://tollgate:7070")?.key(header("x-api-key")));
//! # Ok::<(), tollgate_tower::Error>(())
//! ```
//!
//! A request that is denied never reaches the service: it gets 429 with `Retry-After`, `X-RateLimit-*` and a body of
//! `application/problem+json`, or `RESOURCE_EXHAUSTED` if it speaks gRPC. The layer makes no error of its own, and
//! holds nobody up when it cannot decide: such requests pass and are counted ([`TollgateLayer::counts`]).
#![warn(missing_docs)]

mod body;
mod counts;
mod decide;
mod error;
mod future;
mod grpc;
mod head;
mod key;
mod layer;
mod numbers;
mod outcome;
#[cfg(doctest)]
mod pages;
mod response;
mod rig;
mod service;
mod settings;
mod shown;
mod standing;
mod way;

#[cfg(feature = "axum")]
mod axum_host;
#[cfg(feature = "jwt")]
mod jwt;
#[cfg(not(all(feature = "axum", feature = "tonic")))]
mod no_host;
#[cfg(feature = "remote")]
mod remote;
#[cfg(feature = "tonic")]
mod tonic_host;
#[cfg(not(feature = "axum"))]
use no_host as axum_host;
#[cfg(not(feature = "tonic"))]
use no_host as tonic_host;

pub use body::ResponseBody;
pub use counts::Counts;
pub use decide::{Decide, Decided, Embed, Question, Step};
pub use error::Error;
pub use future::ResponseFuture;
pub use head::{PeerAddr, RequestHead};
#[cfg(feature = "jwt")]
pub use jwt::{JwtClaim, JwtKey, jwt_claim};
pub use key::{
    As, BearerToken, Facts, Header, Key, KeyFn, Or, PathParam, PeerIp, Role, bearer_token, header,
    key_fn, path_param, peer_ip,
};
pub use layer::TollgateLayer;
pub use outcome::{DecidedBy, Outcome};
#[cfg(feature = "remote")]
pub use remote::{IntoClient, Remote};
pub use service::Tollgate;
pub use settings::{Fields, Malformed, Missing, Preflights, ResetAs};
pub use tollgate::Reason;
pub use tollgate_wire::forwarded::{ProxyHeader, ProxyHeaderError};
