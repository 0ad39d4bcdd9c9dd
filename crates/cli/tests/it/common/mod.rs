//! What the test programs share; each uses what it needs.

#![allow(dead_code, unused_imports, reason = "each uses what it needs")]

mod desk;
pub(crate) mod grpc;
pub(crate) mod http;
pub(crate) mod resp;
pub(crate) mod server;
mod standstill;

pub(crate) use desk::{Desk, Ran, cleared, fields, login};
pub(crate) use standstill::standstill;
