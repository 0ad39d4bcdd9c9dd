//! `/ratelimit/proposals`: changes of rules that wait for somebody else.

mod handlers;
mod routes;

pub(super) use handlers::{Earlier, may_wait, propose, waits};
pub(super) use routes::ROUTES;
