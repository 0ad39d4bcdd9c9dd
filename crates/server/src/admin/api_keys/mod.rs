//! `/ratelimit/api-keys`

mod handlers;
mod routes;

pub(super) use routes::ROUTES;
