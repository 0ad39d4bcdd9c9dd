//! Everything that is wrong with a document, for a reader or a program.

mod lines;
mod problem;
mod render;
mod width;

pub(super) use lines::Lines;
pub use problem::{Place, Problem, Report};
