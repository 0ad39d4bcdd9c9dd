//! Asks a Tollgate server whether a request may pass, and cannot hurt its host: every call ends within its
//! deadline, and with the server slow or gone the last limits it told go on being enforced here.
//!
//! ```no_run
//! use tollgate_client::{Check, Client};
//!
//! # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::new("http://127.0.0.1:7070")?;
//! let answer = client.check(&Check::new().user("ann").endpoint("/search")).await?;
//! if !answer.is_allowed() {
//!     println!("come back in {:?}", answer.retry_after());
//! }
//! # Ok(())
//! # }
//! ```
#![warn(missing_docs)]

mod answer;
mod batch;
mod breaker;
mod builder;
mod bypass;
mod check;
mod client;
mod convert;
mod counts;
mod denials;
mod error;
mod facts;
mod fallback;
mod fleet;
mod inner;
mod openmetrics;
#[cfg(doctest)]
mod pages;
mod ramp;
mod route;
mod server;
mod status;
mod table;
mod transport;

#[cfg(not(feature = "tls"))]
mod no_tls;
#[cfg(feature = "tls")]
mod tls;
#[cfg(not(feature = "tls"))]
use no_tls as tls;

pub use answer::{Answer, Source, Standing};
pub use breaker::BreakerState;
pub use builder::{BuildError, Builder};
pub use check::Check;
pub use client::Client;
pub use error::{Error, Fault};
pub use fallback::Fallback;
pub use route::RouteBy;
pub use status::{Outcomes, ServerStatus, Status};
pub use tollgate_core::Reason;
pub use transport::{Connect, Connecting, Stream};
