//! Revisions: numbers, hashes, what one holds, and how it came about.

mod content;
mod hash;
mod info;
mod number;

pub(crate) use content::Stamps;
pub use content::{Mark, Revision, Stamp};
pub use hash::{NotAHash, RevisionHash};
pub use info::{Author, RevisionInfo, RevisionKind};
pub use number::RevisionNumber;
