//! What a caller presents: the facts of one request, normalised and bounded.

mod facts;
mod scope;

pub use facts::{OwnLimit, Query};
pub use scope::{QueryError, Scope, UnknownScope};
