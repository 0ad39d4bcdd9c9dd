//! TLS on the listeners: certificates from files, followed while the server runs, and who shows one.
//!
//! ```text
//! files ──read──▶ Material ──▶ TlsListener (a config that is swapped) ──greet──▶ Stream, name
//!   ▲ Keeper looks once a second               every handshake takes the newest
//! ```

mod certificate;
mod error;
mod failure;
mod greeting;
mod keeper;
mod listener;
mod material;
mod provider;
mod reading;
mod standing;
#[cfg(test)]
mod tests;
mod trust;

pub(crate) use certificate::About;
pub use error::TlsError;
pub(crate) use failure::Failure;
pub(crate) use greeting::HANDSHAKE;
pub(crate) use keeper::{Keeper, TlsListeners};
pub(crate) use listener::TlsListener;
pub(crate) use material::Material;
pub(crate) use provider::provider;
pub(crate) use reading::Reading;
pub(crate) use standing::{Standing, Standings};
pub use trust::Trust;
