//! Decisions over gRPC: Envoy's rate limit service, with health and reflection beside it.
//!
//! What a question means and how an answer is put lies in `convert`, which knows nothing of the transport.

mod convert;
mod fuzz;
mod health;
mod routes;
mod serve;
mod service;
#[cfg(test)]
mod tests;
mod unary;

pub use fuzz::any_rls_question;
pub(crate) use serve::RlsServe;
#[cfg(test)]
pub(crate) use service::{Caller, Rls};
