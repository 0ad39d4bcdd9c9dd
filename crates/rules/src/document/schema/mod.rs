//! The JSON Schema of rules files, for editors.

mod exception;
mod file;
mod matches;
mod parts;
mod rule;
mod trial;

pub use file::schema;
