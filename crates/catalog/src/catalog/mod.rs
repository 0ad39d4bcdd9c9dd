//! The door: one catalog, whatever the database.

mod assembly;
mod edit;
mod history;
mod load;
mod look;
mod migrate;
mod nodes;
mod open;
mod overrides;
mod plan;
mod preview;
mod store;
mod write;

pub(crate) use assembly::Assembly;
pub(crate) use load::blocking;
pub(crate) use overrides::Next;
pub(crate) use store::Stored;

pub use edit::{Base, Conflict, Edit, Expect, Step};
pub use history::{HISTORY_PAGE_MAX, Page};
pub use look::Look;
pub use nodes::{Confirmation, Goal, Node, NodeId, NodeReport};
pub use open::{Catalog, Head, Options};
pub use overrides::{
    Cursor, Draft, Listing, OVERRIDES_BATCH_MAX, OVERRIDES_PAGE_MAX, OverrideDelta, OverrideId,
    OverrideMark, OverrideSeq, OverridesWritten, Removal, Scope, StoredOverride,
};
pub use preview::Preview;
pub use write::Written;
