//! The Redis protocol: a decoder that is obviously right, and what must hold for any bytes.

mod fuzz;
mod model;

pub use fuzz::{any_bytes, decoded};
pub use model::{ModelEnd, model};
