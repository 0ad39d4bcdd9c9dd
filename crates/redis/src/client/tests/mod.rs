//! The way to servers.

mod real;
