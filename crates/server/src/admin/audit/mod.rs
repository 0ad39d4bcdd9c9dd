//! `/ratelimit/audit`: who changed what, and who was turned away.

mod export;
mod read;
mod routes;

pub(super) use routes::ROUTES;
