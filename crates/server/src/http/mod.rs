//! Decisions over HTTP.
