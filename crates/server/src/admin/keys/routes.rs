//! The routes of keys.

use super::{
    super::{
        route::{Kind, Param, Route, Shape, Verb, query},
        shared::{facts_example, json_of},
    },
    handlers,
};
use crate::authority::Permission;

const KEYS: &str = "/ratelimit/keys";

const FACTS: &[Param] = &[
    query("user_id", Kind::Text(1_024), "The user"),
    query("org_id", Kind::Text(1_024), "The organisation"),
    query("api_key", Kind::Text(1_024), "The id of the API key"),
    query("ip", Kind::Text(64), "The client's address"),
    query("tier", Kind::Text(1_024), "The tier"),
    query("endpoint", Kind::Text(8_000), "The path"),
    query("method", Kind::Text(64), "The method"),
    query("region", Kind::Text(1_024), "The region"),
    query(
        "attributes",
        Kind::Texts,
        "Attributes by name: `attributes[plan]=trial`, or `attributes.plan=trial`",
    ),
    query("rule", Kind::Text(1_024), "Only the counters of this rule"),
];

const NO_RULES: (u16, &str) = (503, "There are no rules to look at");
const TOKEN_REFUSED: (u16, &str) = (422, "The token is not believed; `reason` says why");
const UNKNOWN_RULE: (u16, &str) = (404, "There is no such rule in force");

pub(in super::super) const ROUTES: &[Route] = &[
    Route {
        verb: Verb::Get,
        path: KEYS,
        name: "readKeys",
        about: "Every counter that a request with these facts would be charged on; nothing is charged",
        permission: Permission::Read,
        params: &[FACTS],
        body: None,
        replies: &[json_of(200, "The counters", "Counters")],
        problems: &[UNKNOWN_RULE, NO_RULES],
        handler: |call| Box::pin(handlers::peek(call)),
    },
    Route {
        verb: Verb::Delete,
        path: KEYS,
        name: "resetKeys",
        about: "Make these counters fresh",
        permission: Permission::Counters,
        params: &[FACTS],
        body: None,
        replies: &[json_of(200, "The counters as they are now", "Counters")],
        problems: &[UNKNOWN_RULE, NO_RULES],
        handler: |call| Box::pin(handlers::reset(call)),
    },
    Route {
        verb: Verb::Get,
        path: "/ratelimit/keys/top",
        name: "topKeys",
        about: "The keys that are asked for most on this node, with the error of each count",
        permission: Permission::Read,
        params: &[&[query("limit", Kind::Whole(1, 1_000), "The most keys; 20 by default")]],
        body: None,
        replies: &[json_of(200, "The busiest keys", "TopKeys")],
        problems: &[],
        handler: |call| Box::pin(handlers::top(call)),
    },
    Route {
        verb: Verb::Post,
        path: "/ratelimit/explain",
        name: "explain",
        about: "What becomes of every rule when a request with these facts comes by; nothing is charged",
        permission: Permission::Read,
        params: &[],
        body: Some(Shape { schema: "Facts", example: facts_example }),
        replies: &[json_of(200, "The story of the request", "Explanation")],
        problems: &[TOKEN_REFUSED, NO_RULES],
        handler: |call| Box::pin(handlers::explain(call)),
    },
];
