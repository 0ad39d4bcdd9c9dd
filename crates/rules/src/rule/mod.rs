//! What is true of a rule: every value here is valid by construction.

mod condition;
mod cost;
mod definition;
mod endpoint;
mod field;
mod key;
mod name;
mod response;

pub use condition::{AttributeCondition, DescriptorEntry, Match};
pub use cost::{CostError, CostRule};
pub use definition::{Action, Rule, Throttle};
pub use endpoint::{EndpointPattern, PatternClass, PatternError, Segment};
pub use field::{Field, UnknownField};
pub use key::{Key, KeyError, KeyField, Missing};
pub use name::{Name, NameError};
pub use response::Response;
