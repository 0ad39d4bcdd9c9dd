//! From rules to text: JSON for the catalog, YAML for people, and a hash of what they mean.

mod hash;
mod items;
mod yaml;

pub use hash::{ContentHash, content_hash};
pub use items::{limits_json, override_json, rule_json, tier_json};
pub use yaml::write_yaml;
