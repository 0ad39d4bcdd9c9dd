//! What a caller presents: the facts of one request, normalised and bounded.

mod build;
mod error;
mod facts;
mod scope;

pub use error::QueryError;
pub use facts::Query;
pub use scope::{Scope, UnknownScope};
