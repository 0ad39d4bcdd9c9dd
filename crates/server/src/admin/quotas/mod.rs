//! `/ratelimit/quotas`

mod block;
mod read;
mod routes;
mod write;

pub(super) use routes::ROUTES;
