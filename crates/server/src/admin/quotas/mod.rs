//! `/ratelimit/quotas`

mod block;
mod handlers;
mod routes;

pub(super) use routes::ROUTES;
