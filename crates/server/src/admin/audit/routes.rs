//! The route of the audit.

use super::{
    super::{
        route::{Content, Kind, Param, Route, Told, Verb, query},
        shared::{PAGES, json_of},
    },
    handlers,
};
use crate::authority::Permission;

const FILTERS: &[Param] = &[
    query("since", Kind::Text(64), "Only from this moment on: 2027-01-01T00:00:00Z"),
    query("until", Kind::Text(64), "Only before this moment"),
    query("actor", Kind::Text(1_024), "Only what this one did, or tried"),
    query("object", Kind::Text(1_024), "Only what was done to the object of this id"),
    query(
        "object_kind",
        Kind::Text(64),
        "Only what was done to objects of this kind: rule, tier, override, api_key, quota, block, token, counter, \
         proposal, request",
    ),
    query(
        "format",
        Kind::Word(&["json", "jsonl"]),
        "`jsonl` sends every row that is asked for as a line of JSON, without pages",
    ),
];

pub(in super::super) const ROUTES: &[Route] = &[Route {
    verb: Verb::Get,
    path: "/ratelimit/audit",
    name: "readAudit",
    about: "Who changed what, when, why, from where, before and after, and who was turned away; newest first",
    permission: Permission::Read,
    params: &[FILTERS, PAGES],
    body: None,
    replies: &[Told {
        content: Content::JsonOrLines("AuditPage"),
        ..json_of(200, "A page of the audit", "AuditPage")
    }],
    problems: &[],
    handler: |call| Box::pin(handlers::read(call)),
}];
