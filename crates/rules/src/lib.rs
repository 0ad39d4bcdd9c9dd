//! From what was written to what is matched: rule documents, rules, and the snapshot that turns a
//! request into charges.
//!
//! A [`document`] is what somebody wrote; a [`Rule`] is what is true.

mod diff;
pub mod document;
mod exception;
pub mod normalise;
mod query;
mod rule;
mod ruleset;
mod tier;

pub use diff::{Counters, Diff, Difference, DifferenceKind, FieldChange, Object, diff};
pub use exception::{Change, Factor, FactorError, Override};
pub use query::{Query, QueryError, Scope, UnknownScope};
pub use rule::{
    Action, AttributeCondition, Consistency, CostError, CostRule, DescriptorEntry, EndpointPattern,
    Field, Key, KeyError, KeyField, Match, Missing, Name, NameError, OnFailure, PatternClass,
    PatternError, Response, Rule, Segment, Throttle, UnknownField,
};
pub use ruleset::RuleSet;
pub use tier::Tier;
