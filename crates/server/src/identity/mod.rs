//! Who asks: tokens and API keys that were shown, and who may say for whom it asks.
//!
//! ```text
//! token ──Verifier──▶ Facts ─┐
//! API key ──Directory──▶ card ├─ Identifier ──▶ Identity, which fills the query
//! stated ──Trust─────────────┘            └──▶ Refused, with a reason of a closed list
//! ```

mod identifier;
mod jwt;
mod key_secret;
mod refused;
pub(crate) mod secret;
#[cfg(test)]
mod tests;
mod trust;

pub(crate) use identifier::{Identifier, Identity, Kept, KeySource, Stated};
pub use jwt::JwtKeysError;
pub(crate) use jwt::{JwtKeeper, Keys, KeysStanding};
pub use key_secret::KeySecretError;
pub(crate) use refused::{KeyFlaw, Reason, Refused};
pub(crate) use secret::KeyHasher;
pub(crate) use trust::{Distrust, PROXIED, Sender, Standing, Trust, credentials, passage_of};
