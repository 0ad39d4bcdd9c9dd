//! The admin API: rules, tiers, overrides, revisions, nodes, keys, health and metrics, over axum.
//!
//! One table of routes (`routes.rs`) is what the router, the guard and the OpenAPI document are made
//! from, so none of them can know a route that the others do not.

mod call;
mod certified;
mod change;
mod cursor;
mod etag;
mod fits;
mod guard;
mod health;
mod keys;
mod nodes;
mod openapi;
mod overrides;
mod params;
mod problem;
mod reply;
mod revisions;
mod route;
mod router;
mod routes;
mod rules;
mod serve;
mod shared;
mod state;
#[cfg(test)]
mod tests;
mod tiers;
mod trouble;
mod visit;
mod when;

pub(crate) use serve::AdminServe;
