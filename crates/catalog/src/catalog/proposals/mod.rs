//! Changes that wait for somebody else to approve them.

mod list;
mod row;
mod value;
mod write;

pub use list::PROPOSALS_MAX;
pub use value::{Asked, Proposal, ProposalState, Settled, Settlement};
pub use write::OPEN_PROPOSALS_MAX;
