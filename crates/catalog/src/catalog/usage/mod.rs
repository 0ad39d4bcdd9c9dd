//! What API keys and users have used, over all nodes: by day for two months, and all in all.

mod add;
mod list;
mod value;

pub use add::USAGE_ROWS_MAX;
pub use value::{Usage, UsageBatch, UsageKind, UsageRow};
