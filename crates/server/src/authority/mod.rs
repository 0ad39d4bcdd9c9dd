//! Who may do what: the one place where it is decided.

mod actor;
mod caller;
mod gate;
mod kinship;
mod permission;
mod refused;
mod role;
#[cfg(test)]
mod tests;
mod token;
mod tokens;

pub(crate) use actor::{Actor, Proof};
pub(crate) use caller::{Caller, Door};
pub(crate) use gate::Authority;
pub(crate) use kinship::{Kinship, kinship};
pub(crate) use permission::Permission;
pub(crate) use refused::Refused;
pub(crate) use role::Role;
pub use token::Token;
