//! `/ratelimit/rules`

mod handlers;
mod routes;

pub(super) use handlers::{OURS, stamped};
pub(super) use routes::ROUTES;
