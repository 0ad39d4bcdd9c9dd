//! The admin side: rules, tiers, overrides, revisions, nodes, keys; metrics and health.

mod serve;

pub(crate) use serve::AdminServe;
