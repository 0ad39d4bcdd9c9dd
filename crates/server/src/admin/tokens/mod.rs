//! `/ratelimit/tokens`: who may use the admin side.

mod routes;
mod view;
mod write;

pub(super) use routes::ROUTES;
