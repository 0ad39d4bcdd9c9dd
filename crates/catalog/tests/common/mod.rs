//! Short words for what the catalog's tests do.
#![allow(
    dead_code,
    unused_imports,
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    reason = "each test file uses a part of it; to panic is how a failed test speaks"
)]

pub(crate) mod node;
pub(crate) mod people;
mod place;
mod words;

pub(crate) use place::Place;
pub(crate) use words::{SOON, dana, name, override_of, put, remove, rule, set};
