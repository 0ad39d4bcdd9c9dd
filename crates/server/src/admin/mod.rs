//! The admin API: rules, tiers, overrides, revisions, nodes, keys, people, the audit, health and metrics, over axum.
//!
//! One table of routes (`routes.rs`) is what the router, the guard and the OpenAPI document are made
//! from, so none of them can know a route that the others do not.

mod api_keys;
mod audit;
mod blocks;
mod body;
mod call;
mod certified;
mod change;
mod clear;
mod cursor;
mod entries;
mod etag;
mod fits;
mod form;
mod guard;
mod health;
mod keys;
mod masked;
mod nodes;
mod openapi;
mod overrides;
mod own_limits;
mod params;
mod problem;
mod proposals;
mod quotas;
mod recorded;
mod redis;
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
mod tier;
mod tiers;
mod tokens;
mod trouble;
mod usage;
mod visit;

pub(crate) use serve::AdminServe;

use crate::when;
