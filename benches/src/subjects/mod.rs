//! Everybody in the comparison, each in the way its own documentation shows.

mod kind;
mod peers;
mod tollgate;

pub(crate) use kind::Kind;
pub(crate) use tollgate::{limiter, token_bucket};
