//! From a tree of nodes to rules, tiers, overrides and tests.

mod amount;
mod draft;
mod entry;
mod exception;
mod facts;
mod fields;
mod key;
mod limit;
mod list;
mod matches;
mod network;
mod places;
mod response;
mod root;
mod rule;
mod scalar;
mod throttle;
mod tier;
mod trial;

pub use entry::{
    Document, Reading, read, read_for_redis, read_limits, read_override, read_rule, read_tier,
};

pub(super) use amount::written as moment_text;
pub(super) use network::written as network_text;
pub(super) use throttle::missing_word;
