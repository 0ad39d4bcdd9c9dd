//! `/ratelimit/keys` and `/ratelimit/explain`: counters by the facts of a request.

mod handlers;
mod routes;

pub(super) use routes::ROUTES;
