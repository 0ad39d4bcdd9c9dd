//! `tollgate doctor`: what a server with these settings would meet. Everything is looked at, nothing is
//! changed, and nothing is waited for without end.

mod clocks;
mod data;
mod database;
mod diagnose;
mod diagnosis;
mod ports;
mod redis;
mod room;
mod rules;
mod tls;

pub use diagnose::diagnose;
pub use diagnosis::{Diagnosis, Grade};
