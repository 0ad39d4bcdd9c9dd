//! The door: one catalog, whatever the database.

mod assembly;
mod audit;
mod edit;
mod entries;
mod history;
mod key_print;
mod load;
mod log;
mod look;
mod migrate;
mod nodes;
mod open;
mod overrides;
mod plan;
mod preview;
mod processes;
mod proposals;
mod store;
mod usage;
mod write;

pub(crate) use assembly::Assembly;
pub(crate) use entries::{EntryWalk, row};
pub(crate) use load::blocking;
pub(crate) use overrides::Next;
pub(crate) use store::Stored;

pub use audit::{AUDIT_PAGE_MAX, AuditListing, AuditRow, Ended, Noted};
pub use edit::{Base, Conflict, Edit, Expect, Step};
pub use entries::{
    BlockBody, ENTRIES_BATCH_MAX, ENTRIES_PAGE_MAX, EntryAt, EntryBody, EntryKind, EntryListing,
    EntryPlace, EntryWritten, ISSUERS_MAX, Issuer, KeyBody, Lineage, NoIssuer, QuotaBody,
    StoredEntry, TokenBody,
};
pub use history::{HISTORY_PAGE_MAX, Page};
pub use look::Look;
pub use nodes::{Confirmation, Goal, Node, NodeId, NodeReport};
pub use open::{Catalog, Head, Options};
pub use overrides::{
    Cursor, Draft, Listing, OVERRIDES_BATCH_MAX, OVERRIDES_PAGE_MAX, OverrideDelta, OverrideId,
    OverrideMark, OverrideSeq, OverridesWritten, Removal, Scope, StoredOverride,
};
pub use preview::Preview;
pub use processes::{Process, ProcessReport};
pub use proposals::{
    Asked, OPEN_PROPOSALS_MAX, PROPOSALS_MAX, Proposal, ProposalState, Settled, Settlement,
};
pub use usage::{USAGE_ROWS_MAX, Usage, UsageBatch, UsageKind, UsageRow};
pub use write::Written;
