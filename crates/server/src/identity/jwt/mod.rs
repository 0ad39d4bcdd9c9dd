//! Tokens that somebody else issued: JWTs, verified with keys that are here.

mod algorithm;
mod cache;
mod claims;
mod contents;
mod flaw;
mod keeper;
mod keys;

mod verifier;

pub(crate) use claims::Facts;
pub use contents::JwtKeysError;
pub(crate) use flaw::TokenFlaw;
pub(crate) use keeper::{JwtKeeper, KeysStanding};
pub(crate) use keys::Keys;
pub(crate) use verifier::Verifier;
