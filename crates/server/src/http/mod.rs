//! Decisions over HTTP.

mod batch;
mod caller;
mod convert;
mod date;
mod decision;
mod deed;
mod desk;
pub(crate) mod fields;
mod gateway;
mod manner;
mod order;
mod params;
mod route;
mod serve;
mod service;
mod session;
#[cfg(test)]
mod tests;

pub(crate) use serve::HttpServe;
pub(crate) use service::HttpService;
pub(crate) use session::HttpSession;
