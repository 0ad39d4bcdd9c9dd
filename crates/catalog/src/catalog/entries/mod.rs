//! API keys, quotas, blocks and tokens: beside the revisions, in the same order of writes as overrides.

mod list;
mod value;
mod write;

pub use list::{ENTRIES_PAGE_MAX, EntryListing, EntryPlace};
pub use value::{
    BlockBody, EntryAt, EntryBody, EntryKind, EntryWritten, KeyBody, QuotaBody, StoredEntry,
    TokenBody,
};
