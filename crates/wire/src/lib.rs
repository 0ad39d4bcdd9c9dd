//! Protocols as state machines over bytes, and the shapes they carry: no socket, no clock, no rule.

pub mod admin;
pub mod check;
pub mod claims;
pub mod forwarded;
pub mod headers;
pub mod http1;
pub mod proxy;
pub mod resp;
