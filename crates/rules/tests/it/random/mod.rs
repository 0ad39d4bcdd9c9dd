//! Random rule sets of everything that can be written.

mod parts;
mod set;

pub(crate) use set::rule_set;
