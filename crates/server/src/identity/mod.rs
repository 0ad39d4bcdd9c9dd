//! Who asks: tokens and API keys that were shown, and who may say for whom it asks.

mod key_secret;
pub(crate) mod secret;

pub use key_secret::KeySecretError;
pub(crate) use secret::KeyHasher;
