//! gRPC: what is called, who calls, and who else answers.

mod calls;
mod load;
mod peers;

pub(super) use calls::{should_rate_limit, throttle};
pub(super) use load::drive;
pub(super) use peers::{fixed, limitador};
