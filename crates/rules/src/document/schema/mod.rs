//! The JSON Schema of rules files, for editors.

mod file;
mod rule;

pub use file::schema;
