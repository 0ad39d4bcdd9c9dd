//! From a tree of nodes to rules, tiers, overrides and tests.

mod exception;
mod fields;
mod root;
mod rule;
mod scalar;
mod throttle;
mod trial;

pub use fields::{
    Document, Reading, read, read_for_redis, read_limits, read_override, read_rule, read_tier,
};
pub(super) use scalar::{moment_text, network_text};
pub(super) use throttle::missing_word;
