//! The routes of overrides.

use super::{
    super::{
        route::{Kind, Param, Route, Shape, Told, Verb, path, query},
        shared::{DRY_RUN, PAGES, WAIT, WRITER, json_of, override_example},
    },
    handlers,
};
use crate::authority::Permission;

const LIST: &str = "/ratelimit/overrides";
const ONE: &str = "/ratelimit/overrides/{id}";

const FILTERS: &[Param] = &[
    query("rule", Kind::Text(128), "Overrides of this rule, by its name"),
    query("user", Kind::Text(1_024), "Overrides whose key has this user"),
    query("org", Kind::Text(1_024), "Overrides whose key has this organisation"),
    query("ip", Kind::Text(64), "Overrides whose key has this address, or its network"),
    query("api_key", Kind::Text(1_024), "Overrides whose key has the API key of this id"),
    query("active", Kind::Truth, "Only those that are in force now, or only those that have ended"),
];

const ID: &[Param] = &[path("id", Kind::Whole(0, u64::MAX >> 1), "The override's id")];

pub(in super::super) const ROUTES: &[Route] = &[
    Route {
        verb: Verb::Get,
        path: LIST,
        name: "listOverrides",
        about: "Overrides that were made through the API, oldest write first. A page may have fewer \
                than asked for and still a next one",
        permission: Permission::ReadOverrides,
        params: &[FILTERS, PAGES],
        body: None,
        replies: &[json_of(200, "A page of overrides", "OverrideList")],
        problems: &[],
        handler: |call| Box::pin(handlers::list(call)),
    },
    Route {
        verb: Verb::Post,
        path: LIST,
        name: "createOverrides",
        about: "Make an exception for one key, or up to 10,000 at once: all or none",
        permission: Permission::TemporaryOverrides,
        params: &[DRY_RUN, WAIT, WRITER],
        body: Some(Shape { schema: "OverrideOrMany", example: override_example }),
        replies: &[
            Told { headers: &["Location"], ..json_of(201, "What was made", "WrittenOverrides") },
            json_of(200, "What would be made (`dry_run`)", "WrittenOverrides"),
        ],
        problems: &[(
            422,
            "An override is not sound, or does not fit its rule; every error is named",
        )],
        handler: |call| Box::pin(handlers::create(call)),
    },
    Route {
        verb: Verb::Get,
        path: ONE,
        name: "readOverride",
        about: "One override, also if it has ended lately",
        permission: Permission::ReadOverrides,
        params: &[ID],
        body: None,
        replies: &[json_of(200, "The override", "StoredOverride")],
        problems: &[(404, "There is no such override")],
        handler: |call| Box::pin(handlers::read(call)),
    },
    Route {
        verb: Verb::Delete,
        path: ONE,
        name: "deleteOverride",
        about: "End an override now; one that has been taken away before stays so",
        permission: Permission::TemporaryOverrides,
        params: &[ID, DRY_RUN, WAIT, WRITER],
        body: None,
        replies: &[json_of(200, "It is gone", "RemovedOverride")],
        problems: &[(404, "There is no such override")],
        handler: |call| Box::pin(handlers::remove(call)),
    },
];
