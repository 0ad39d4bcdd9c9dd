//! Who changed what: rows that are only ever added, each in the transaction of the write it is about.
//!
//! Nothing here changes or deletes a row, and the database refuses to (a trigger). Secrets, and what they hash to, are
//! never in a row.

mod items;
mod list;
mod value;
mod write;

pub(super) use items::{Change, changes, noted};
pub use list::{AUDIT_PAGE_MAX, AuditListing};
pub use value::{AuditRow, Ended, Noted};
pub(super) use write::record;
