//! From what was written to what is matched: rule documents, rules, and the snapshot that turns a
//! request into charges.
//!
//! A [`document`] is what somebody wrote; a [`Rule`] is what is true.
#![warn(missing_docs)]

mod conditions;
mod counter;
mod diff;
mod directory;
pub mod document;
mod exception;
mod index;
mod live;
mod miss;
mod naming;
mod nearest;
pub mod normalise;
mod order;
mod query;
pub mod review;
mod rule;
mod ruleset;
mod snapshot;
mod tier;
mod trial;

pub use conditions::Condition;
pub use diff::{Counters, Diff, Difference, DifferenceKind, FieldChange, Object, diff};
pub use directory::{
    ApiKey, Block, Directory, KeyCard, KeyDigest, KeyStanding, Quota, QuotaCard, Used, User,
};
pub use exception::{Change, Factor, FactorError, Override};
pub use live::{Live, Loaded, Published};
pub use miss::Miss;
pub use naming::key_parts;
pub use nearest::nearest;
pub use query::{OwnLimit, Query, QueryError, Scope, UnknownScope};
pub use rule::{
    Action, AttributeCondition, CostError, CostRule, DescriptorEntry, EndpointPattern, Field, Key,
    KeyError, KeyField, Match, Missing, Name, NameError, PatternClass, PatternError, Response,
    Rule, Segment, Throttle, UnknownField,
};
pub use ruleset::RuleSet;
pub use snapshot::{Considered, Explanation, Fate, Line, Plan, Snapshot, Stop, TierFound};
pub use tier::{Tier, UnknownTier};
pub use trial::{Expect, ExpectRule, Facts, Step, Trial};
