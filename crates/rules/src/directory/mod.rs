//! What stands beside the rules: overrides and blocks, changed by the piece.

mod blocks;
mod entry;
mod exceptions;
mod live;

pub use blocks::Block;
pub(crate) use entry::Entry;
pub(crate) use exceptions::{Exceptions, Found};
pub use live::Directory;
