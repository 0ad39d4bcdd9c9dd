//! `/ratelimit/audit`: who changed what, and who was turned away.

mod handlers;
mod routes;

pub(super) use routes::ROUTES;
