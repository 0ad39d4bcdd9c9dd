//! `/ratelimit/keys` and `/ratelimit/explain`: counters by the facts of a request.

mod convert;
mod explain;
mod facts;
mod routes;
mod status;

pub(super) use routes::ROUTES;
