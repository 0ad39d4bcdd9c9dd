//! `/ratelimit/overrides`

mod bounds;
mod list;
mod routes;
mod standing;
mod view;
mod write;

pub(super) use routes::ROUTES;
