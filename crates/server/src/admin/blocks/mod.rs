//! `/ratelimit/blocks`: whom nothing lets pass.

mod convert;
mod list;
mod routes;
mod write;

pub(super) use list::of_user;
pub(super) use routes::{REPLIES, ROUTES, terms_example};
pub(super) use write::{described, put, remove_of_user};
