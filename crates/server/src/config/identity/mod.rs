//! How it is found out who asks.

mod jwt;
mod kinds;
mod read;
mod rows;

pub use kinds::{
    ApiKeys, Identity, Jwt, JwtAlgorithm, JwtClaims, JwtSecret, ProxyProtocol, SecretText,
};
pub(super) use read::read;
pub(super) use rows::ROWS;
