//! Every route there is.

use axum::http::Method;

use super::{
    api_keys, audit, blocks, health, keys, nodes, openapi, overrides, proposals, quotas, redis,
    revisions, route::Route, rules, tiers, tokens, usage,
};

const TABLES: [&[Route]; 16] = [
    health::ROUTES,
    openapi::ROUTES,
    rules::ROUTES,
    tiers::ROUTES,
    overrides::ROUTES,
    revisions::ROUTES,
    nodes::ROUTES,
    keys::ROUTES,
    redis::ROUTES,
    api_keys::ROUTES,
    quotas::ROUTES,
    blocks::ROUTES,
    usage::ROUTES,
    tokens::ROUTES,
    proposals::ROUTES,
    audit::ROUTES,
];

/// Every route, in the order of the document.
pub(super) fn all() -> impl Iterator<Item = &'static Route> {
    TABLES.into_iter().flatten()
}

/// The route of a method on a path as it is declared.
pub(super) fn find(method: &Method, path: &str) -> Option<&'static Route> {
    all().find(|route| route.path == path && route.verb.is(method))
}
