//! `cargo xtask tidy`: the rules that neither the compiler nor clippy knows, and the measures of the whole.

mod edges;
mod inspection;
mod lines;
mod measures;
mod modules;
mod outline;
mod requirements;
mod source;

pub(crate) use inspection::{check, update};
#[cfg(test)]
pub(crate) use source::read as read_sources;
