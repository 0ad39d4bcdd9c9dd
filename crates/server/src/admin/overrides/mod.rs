//! `/ratelimit/overrides`

mod bounds;
mod list;
mod routes;
mod view;
mod write;

pub(super) use routes::ROUTES;
