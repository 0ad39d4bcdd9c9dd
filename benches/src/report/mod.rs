//! Showing the numbers: tables for people, JSON for programs.

mod bars;
mod client;
mod findings;
mod identity;
mod json;
mod leases;
mod number;
mod redis;
mod rules;
mod servers;
mod table;
mod text;

pub(crate) use findings::Findings;
pub(crate) use json::json;
pub(crate) use text::print;
