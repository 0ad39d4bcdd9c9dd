//! `/ratelimit/proposals`: changes of rules that wait for somebody else.

mod ask;
mod eyes;
mod replay;
mod routes;
mod settle;
mod view;

pub(super) use ask::{may_wait, propose, waits};
pub(super) use replay::Earlier;
pub(super) use routes::ROUTES;
