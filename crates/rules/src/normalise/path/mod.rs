//! Paths: one spelling for all that lead to the same place.

mod rewrite;
mod value;

pub use value::{Ambiguity, Path, PathError};
