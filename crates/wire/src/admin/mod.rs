//! The bodies of the admin API, as text.

mod text;

pub use text::{NotJson, check, items, with_text, without};
