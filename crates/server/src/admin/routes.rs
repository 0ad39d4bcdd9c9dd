//! Every route there is.

use axum::http::Method;

use super::{health, keys, nodes, openapi, overrides, revisions, route::Route, rules, tiers};

const TABLES: [&[Route]; 8] = [
    health::ROUTES,
    openapi::ROUTES,
    rules::ROUTES,
    tiers::ROUTES,
    overrides::ROUTES,
    revisions::ROUTES,
    nodes::ROUTES,
    keys::ROUTES,
];

/// Every route, in the order of the document.
pub(super) fn all() -> impl Iterator<Item = &'static Route> {
    TABLES.into_iter().flatten()
}

/// The route of a method on a path as it is declared.
pub(super) fn find(method: &Method, path: &str) -> Option<&'static Route> {
    all().find(|route| route.path == path && route.verb.is(method))
}
