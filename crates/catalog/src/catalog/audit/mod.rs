//! Who changed what: rows that are only ever added.

mod list;
mod value;
mod write;

pub use list::{AUDIT_PAGE_MAX, AuditListing};
pub use value::{AuditRow, Ended, Noted};
