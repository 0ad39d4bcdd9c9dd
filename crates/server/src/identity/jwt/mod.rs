//! Tokens that somebody else issued: JWTs, verified with keys that are here.

mod claims;
mod keeper;
mod keys;
mod verifier;

pub use claims::JwtKeysError;
pub(crate) use claims::{Facts, TokenFlaw};
pub(crate) use keeper::{JwtKeeper, KeysStanding};
pub(crate) use keys::Keys;
pub(crate) use verifier::Verifier;
