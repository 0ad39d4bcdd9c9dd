//! The text as a tree of nodes, each with its place.

mod build;
mod node;

pub(super) use build::{Tree, build};
pub(super) use node::{Entry, Node, Style, Value};

/// The largest document that is read.
pub const BYTES_MAX: usize = 16 * 1024 * 1024;
/// How deep lists and mappings may stand in each other, aliases expanded.
pub const DEPTH_MAX: usize = 32;
/// The most nodes, aliases expanded: what keeps an alias of aliases from growing without end.
pub const NODES_MAX: usize = 2_000_000;
