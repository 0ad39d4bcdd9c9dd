//! API keys, quotas, blocks and tokens: beside the revisions, in the same order of writes as overrides.
//!
//! Nothing here is part of a revision, so that a rollback neither revives a revoked key nor lifts a block.

mod delta;
mod lineage;
mod list;
mod place;
mod record;
pub(crate) mod row;
mod value;
mod write;

pub(crate) use delta::EntryWalk;
pub use lineage::{ISSUERS_MAX, Issuer, Lineage, NoIssuer};
pub use list::{ENTRIES_PAGE_MAX, EntryListing, EntryPlace};
pub use value::{
    BlockBody, EntryAt, EntryBody, EntryKind, EntryWritten, KeyBody, QuotaBody, StoredEntry,
    TokenBody,
};
pub use write::ENTRIES_BATCH_MAX;
