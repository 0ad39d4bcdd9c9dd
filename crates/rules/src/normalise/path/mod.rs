//! Paths: one spelling for all that lead to the same place.

mod common;
mod error;
mod letter;
mod normal;
mod rewrite;
mod value;

pub use error::{Ambiguity, PathError};
pub use value::Path;
