//! TLS on the listeners: certificates from files, followed while the server runs, and who shows one.
//!
//! ```text
//! files ──read──▶ Material ──▶ TlsListener (a config that is swapped) ──greet──▶ Stream, name
//!   ▲ Keeper looks once a second               every handshake takes the newest
//! ```

mod error;
mod keeper;
mod listener;
mod material;
#[cfg(test)]
mod tests;

pub(crate) use error::Failure;
pub use error::TlsError;
pub(crate) use keeper::{Keeper, Reading, Standing, Standings, TlsListeners};
pub use listener::Trust;
pub(crate) use listener::{HANDSHAKE, TlsListener};
pub(crate) use material::{About, Material, provider};
