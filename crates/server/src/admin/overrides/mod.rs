//! `/ratelimit/overrides`

mod list;
mod routes;
mod view;
mod write;

pub(super) use routes::ROUTES;
