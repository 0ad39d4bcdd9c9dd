//! The database of rules, revisions, overrides, API keys, quotas, blocks, tokens and the audit: SQLite or PostgreSQL, with the same promises.
//!
//! - A write is one transaction that makes revision n + 1, or changes nothing. Numbers never go back.
//! - Any revision can be read again; a rollback is a new revision with old content.
//! - Two editors of one rule: one wins, the other is told what is in the way.
//! - Overrides made through the API, and entries (API keys, quotas, blocks, tokens) stand beside the revisions and have
//!   an order of their own.
//! - Every write says in the audit, in its own transaction, who did it and what was there before.
//! - Nothing here is on the way of a decision, and nothing waits for a database for ever.

mod catalog;
mod codec;
mod deadline;
mod error;
mod item;
mod lastgood;
mod postgres;
mod revision;
mod sql;
mod sqlite;
mod url;
mod watch;

pub use catalog::{
    AUDIT_PAGE_MAX, Asked, AuditListing, AuditRow, Base, BlockBody, Catalog, Confirmation,
    Conflict, Cursor, Draft, ENTRIES_BATCH_MAX, ENTRIES_PAGE_MAX, Edit, Ended, EntryAt, EntryBody,
    EntryKind, EntryListing, EntryPlace, EntryWritten, Expect, Goal, HISTORY_PAGE_MAX, Head,
    ISSUERS_MAX, Issuer, KeyBody, Lineage, Listing, Look, NoIssuer, Node, NodeId, NodeReport,
    Noted, OPEN_PROPOSALS_MAX, OVERRIDES_BATCH_MAX, OVERRIDES_PAGE_MAX, Options, OverrideDelta,
    OverrideId, OverrideMark, OverrideSeq, OverridesWritten, PROPOSALS_MAX, Page, Preview, Process,
    ProcessReport, Proposal, ProposalState, QuotaBody, Removal, Scope, Settled, Settlement, Step,
    StoredEntry, StoredOverride, TokenBody, USAGE_ROWS_MAX, Usage, UsageBatch, UsageKind, UsageRow,
    Written,
};
pub use deadline::CALL_MAX;
pub use error::CatalogError;
pub use item::{ItemChange, ItemKey, ItemKind, UnknownKind};
pub use lastgood::{LastGood, LastGoodError};
pub use revision::{
    Author, Mark, NotAHash, Revision, RevisionHash, RevisionInfo, RevisionKind, RevisionNumber,
    Stamp,
};
pub use url::DatabaseUrl;
pub use watch::{
    EntryDelta, InForce, LivePublisher, NoSnapshot, Origin, Publish, Refused, Trouble,
    WatchSettings, WatchStatus, Watcher,
};
