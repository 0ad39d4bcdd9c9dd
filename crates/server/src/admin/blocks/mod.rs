//! `/ratelimit/blocks`: whom nothing lets pass.

mod handlers;
mod routes;

pub(super) use handlers::{described, of_user, put, remove_of_user};
pub(super) use routes::{REPLIES, ROUTES, terms_example};
