//! A server decides.

mod key_use;
mod layer;
mod reach;

pub use layer::{IntoClient, Remote};
