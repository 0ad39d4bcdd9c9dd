//! What is true of a rule: every value here is valid by construction.

mod cost;
mod definition;
mod endpoint;
mod key;
mod name;

pub use cost::{CostError, CostRule};
pub use definition::{
    Action, AttributeCondition, DescriptorEntry, Match, Response, Rule, Throttle,
};
pub use endpoint::{EndpointPattern, PatternClass, PatternError, Segment};
pub use key::{Field, Key, KeyError, KeyField, Missing, UnknownField};
pub use name::{Name, NameError};
