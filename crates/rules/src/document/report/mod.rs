//! Everything that is wrong with a document, for a reader or a program.

mod render;

pub(super) use render::Lines;
pub use render::{Place, Problem, Report};
