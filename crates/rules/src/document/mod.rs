//! What somebody wrote: rules as YAML or JSON, read into a [`crate::RuleSet`] and written from one.
//!
//! Reading collects every problem instead of stopping at the first; each names its line and column,
//! what is allowed there, and where it can the word that was meant.
//!
//! ```
//! use tollgate_rules::document;
//!
//! let reading = document::read("rules.yaml", "version: 1\nrules:\n  - name: login\n    limt: 5/min\n");
//! assert!(reading.document.is_none());
//! let report = reading.report.to_string();
//! assert!(report.contains("error: unknown field \"limt\""), "{report}");
//! assert!(report.contains("did you mean \"limit\"?"), "{report}");
//! ```

mod findings;
mod format;
mod read;
mod report;
mod schema;
mod span;
mod tree;
mod write;

pub use format::{FormatError, format};
pub use read::{
    Document, Reading, read, read_for_redis, read_limits, read_override, read_rule, read_tier,
};
pub use report::{Place, Problem, Report};
pub use schema::schema;
pub use tree::{BYTES_MAX, DEPTH_MAX, NODES_MAX};
pub use write::{
    ContentHash, content_hash, limits_json, override_json, rule_json, tier_json, write_yaml,
};

pub use crate::review::Severity;
