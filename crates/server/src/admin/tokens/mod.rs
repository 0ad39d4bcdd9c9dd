//! `/ratelimit/tokens`: who may use the admin side.

mod handlers;
mod routes;

pub(super) use routes::ROUTES;
