//! Tokens as an issuer makes them, and as an attacker does. Keys are made when they are needed.

mod attacks;
mod base64;
mod signer;

pub use attacks::{Attack, attacks};
pub use base64::base64url;
pub use signer::{Signer, jwks};
