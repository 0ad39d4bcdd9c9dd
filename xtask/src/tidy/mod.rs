//! `cargo xtask tidy`: the style guide as a program, one file per rule.

mod edges;
mod finding;
mod formats;
mod inspection;
mod leaks;
mod leftovers;
mod lengths;
mod licence;
mod lua;
mod markdown;
mod mask;
mod module_docs;
mod modules;
mod orphans;
mod ratchet;
mod requirements;
mod source;
mod supply;
mod tokens;
mod workspace;

pub(crate) use inspection::{check, update};
pub(crate) use source::visible_files;
