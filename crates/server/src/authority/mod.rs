//! Who may do what: the one place where it is decided.

mod actor;
mod gate;
mod kinship;
mod permission;
#[cfg(test)]
mod tests;
mod tokens;

pub(crate) use actor::{Actor, Proof};
pub(crate) use gate::{Authority, Caller, Door, Refused};
pub(crate) use kinship::{Kinship, kinship};
pub(crate) use permission::{Permission, Role};
pub use tokens::Token;
