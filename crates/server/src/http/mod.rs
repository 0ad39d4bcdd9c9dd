//! Decisions over HTTP.

mod serve;

pub(crate) use serve::HttpServe;
