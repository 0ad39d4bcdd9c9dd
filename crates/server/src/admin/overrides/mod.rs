//! `/ratelimit/overrides`

mod bounds;
mod handlers;
mod routes;
mod standing;

pub(super) use routes::ROUTES;
