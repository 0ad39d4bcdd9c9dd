//! What changed between two rule sets, in terms of rules and not of text, and what becomes of the
//! counters.

mod compare;
mod counters;
mod exception;
mod facts;
mod json;
mod text;
mod value;
mod words;

pub use compare::diff;
pub use counters::Counters;
pub use value::{Diff, Difference, DifferenceKind, FieldChange, Object};
