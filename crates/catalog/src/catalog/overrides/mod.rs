//! Overrides made through the API: beside the revisions, in an order of their own.
//!
//! Nothing here is part of a revision, so that a rollback neither revives nor ends an override.

mod delta;
mod list;
mod record;
mod value;
mod write;

pub(crate) use delta::Next;
pub use delta::{OverrideDelta, OverrideMark, Scope};
pub use list::{Cursor, Listing, OVERRIDES_PAGE_MAX};
pub use value::{Draft, OverrideId, OverrideSeq, Removal, StoredOverride};
pub use write::{OVERRIDES_BATCH_MAX, OverridesWritten};
