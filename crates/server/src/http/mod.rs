//! Decisions over HTTP.

mod answer;
mod batch;
pub(crate) mod fields;
mod gateway;
mod handler;
mod inspect;
mod route;
mod service;
mod session;
#[cfg(test)]
mod tests;

pub(crate) use service::{HttpServe, HttpService};
pub(crate) use session::HttpSession;
