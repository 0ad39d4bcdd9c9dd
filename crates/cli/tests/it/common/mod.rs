//! What the test programs share; each uses what it needs.

#![allow(dead_code, unused_imports, reason = "each uses what it needs")]

mod desk;
pub(crate) mod grpc;
pub(crate) mod http;
pub(crate) mod resp;
pub(crate) mod server;

pub(crate) use desk::{Desk, Ran, fields, login};
