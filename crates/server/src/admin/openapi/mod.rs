//! `/openapi.json`: what the table of routes says, for programs.

mod document;
mod people;
mod rule;
mod schemas;

use std::sync::LazyLock;

use super::{
    call::Call,
    reply::Reply,
    route::{Outcome, Route, Verb},
    shared::json_of,
};
use crate::authority::Permission;

pub(super) use document::document;

pub(super) const ROUTES: &[Route] = &[Route {
    verb: Verb::Get,
    path: "/openapi.json",
    name: "openapi",
    about: "This document",
    permission: Permission::Read,
    params: &[],
    body: None,
    replies: &[json_of(200, "An OpenAPI 3.1 document", "OpenApi")],
    problems: &[],
    handler: |call| Box::pin(read(call)),
}];

/// It is the same for as long as the program runs.
static TEXT: LazyLock<String> = LazyLock::new(|| document().to_string());

async fn read(_: Call) -> Outcome {
    Ok(Reply::text("application/json", TEXT.clone()))
}
