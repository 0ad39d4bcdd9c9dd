//! The admin side: rules, tiers, overrides, revisions, nodes, keys; metrics and health.
