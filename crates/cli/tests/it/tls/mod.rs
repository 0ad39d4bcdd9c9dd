//! Black-box stories over TLS: a real server, real certificates, real clients.

mod clients;
mod doctor;
pub(crate) mod house;
mod listeners;
pub(crate) mod pipes;
mod rotation;
mod settings;
mod trouble;
