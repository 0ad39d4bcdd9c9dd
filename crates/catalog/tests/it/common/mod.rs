//! Short words for what the catalog's tests do.

pub(crate) mod node;
pub(crate) mod people;
mod place;
mod words;

pub(crate) use place::Place;
pub(crate) use words::{SOON, at_last, dana, name, override_of, put, remove, rule, set};
