//! Where the rules in force come from: the catalog, a file, or a demonstration.

mod demo;
mod file;
mod follow;
mod publisher;

pub(crate) use demo::demo_rules;
pub use file::RulesFileError;
pub(crate) use file::{FileContents, FileStatus, RulesFile, reading};
pub(crate) use follow::tell;
pub(crate) use publisher::{Publisher, Shown};
