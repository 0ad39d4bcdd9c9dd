//! The way to servers.

mod real;
mod register;
