//! `/ratelimit/rules`

mod filter;
mod list;
mod read;
mod routes;
mod view;
mod write;

pub(super) use routes::ROUTES;
pub(super) use view::{OURS, stamped};
