//! The integration tests of this crate. They share one binary, because linking takes longer than running.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test: to panic is how it fails"
)]

mod broken_stores;
mod fuzz;
mod fuzz_documents;
mod fuzz_http;
mod limit_errors;
mod proxy;
mod proxy_threads;
mod real;
mod reference;
mod script_range;
mod waiting;
