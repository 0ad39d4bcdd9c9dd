//! What changed between two rule sets, in terms of rules and not of text, and what becomes of the
//! counters.

mod compare;
mod text;
mod words;

pub use compare::{Counters, Diff, Difference, DifferenceKind, FieldChange, Object, diff};
