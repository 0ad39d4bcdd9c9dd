//! What a caller presents: the facts of one request, normalised and bounded.

mod build;
mod error;
mod facts;
mod own_limit;
mod scope;
mod telling;

pub use error::QueryError;
pub use facts::Query;
pub use own_limit::OwnLimit;
pub use scope::{Scope, UnknownScope};
