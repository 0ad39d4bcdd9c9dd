//! Everybody in the comparison, each in the way its own documentation shows.

mod array;
mod dash_map;
mod governor;
mod kind;
mod limitador;
mod mutex_map;
mod throttlecrab;
mod tollgate;

pub(crate) use kind::Kind;
pub(crate) use tollgate::{limiter, token_bucket};
