//! `/ratelimit/api-keys`

mod read;
mod routes;
mod view;
mod write;

pub(super) use routes::ROUTES;
