//! The routes of rules.

use super::{
    super::{
        route::{Kind, Param, Route, Shape, Told, Verb, path, query},
        shared::{
            DRY_RUN, IF_MATCH, IF_NONE_MATCH, NOT_MODIFIED, PAGES, WAIT, WRITER, json_of,
            rule_example, versioned,
        },
    },
    handlers,
};
use crate::authority::Permission;

const LIST: &str = "/ratelimit/rules";
const ONE: &str = "/ratelimit/rules/{id}";

const FILTERS: &[Param] = &[
    query("tier", Kind::Text(1_024), "Rules whose match names this tier"),
    query("endpoint", Kind::Text(2_000), "Rules whose pattern is this, or matches this path"),
    query("user", Kind::Text(1_024), "Rules whose match names this user"),
    query("org", Kind::Text(1_024), "Rules whose match names this organisation"),
    query("action", Kind::Word(&["throttle", "block", "allow"]), "Rules that do this"),
    query("enabled", Kind::Truth, "Rules that are walked, or that are not"),
    query("owner", Kind::Text(1_000), "Rules of this owner"),
    query("name", Kind::Text(128), "Rules whose name begins so"),
    query(
        "q",
        Kind::Text(200),
        "Rules that hold this text in name, endpoint, owner, reason or message, in any case",
    ),
];

const ID: &[Param] =
    &[path("id", Kind::Text(512), "The rule's id (UUID), or its name with `/` written as `%2F`")];

const WRITTEN: Told =
    versioned(200, "The rule as it is now; an equal one is not written again", "WrittenRule");

pub(in super::super) const ROUTES: &[Route] = &[
    Route {
        verb: Verb::Get,
        path: LIST,
        name: "listRules",
        about: "The rules of the newest revision, by name",
        permission: Permission::Read,
        params: &[FILTERS, PAGES],
        body: None,
        replies: &[json_of(200, "A page of rules", "RuleList")],
        problems: &[],
        handler: |call| Box::pin(handlers::list(call)),
    },
    Route {
        verb: Verb::Post,
        path: LIST,
        name: "createRule",
        about: "Create a rule",
        permission: Permission::Rules,
        params: &[DRY_RUN, WAIT, WRITER],
        body: Some(Shape { schema: "Rule", example: rule_example }),
        replies: &[
            Told {
                headers: &["ETag", "Location", "Tollgate-Revision"],
                ..versioned(201, "The new rule", "WrittenRule")
            },
            json_of(200, "What would change (`dry_run`)", "DryRun"),
        ],
        problems: &[
            (409, "A rule of this name exists (with the difference), or a file owns the rules"),
            (422, "The rule is not sound; every error is named"),
        ],
        handler: |call| Box::pin(handlers::create(call)),
    },
    Route {
        verb: Verb::Get,
        path: ONE,
        name: "readRule",
        about: "One rule",
        permission: Permission::Read,
        params: &[ID, IF_NONE_MATCH],
        body: None,
        replies: &[versioned(200, "The rule", "StoredRule"), NOT_MODIFIED],
        problems: &[(404, "There is no such rule")],
        handler: |call| Box::pin(handlers::read(call)),
    },
    Route {
        verb: Verb::Put,
        path: ONE,
        name: "replaceRule",
        about: "Put another rule in its place; under another name it keeps its id and its counters",
        permission: Permission::Rules,
        params: &[ID, IF_MATCH, DRY_RUN, WAIT, WRITER],
        body: Some(Shape { schema: "Rule", example: rule_example }),
        replies: &[WRITTEN],
        problems: WRITE_PROBLEMS,
        handler: |call| Box::pin(handlers::replace(call)),
    },
    Route {
        verb: Verb::Delete,
        path: ONE,
        name: "deleteRule",
        about: "Take a rule away",
        permission: Permission::Rules,
        params: &[ID, IF_MATCH, DRY_RUN, WAIT, WRITER],
        body: None,
        replies: &[Told {
            headers: &["Tollgate-Revision"],
            ..versioned(200, "The rule is gone", "Removed")
        }],
        problems: WRITE_PROBLEMS,
        handler: |call| Box::pin(handlers::remove(call)),
    },
];

const WRITE_PROBLEMS: &[(u16, &str)] = &[
    (404, "There is no such rule"),
    (409, "The new name is taken, or a file owns the rules"),
    (412, "Somebody else was faster; the difference is in the body"),
    (422, "The result would not be sound; every error is named"),
    (428, "If-Match is missing"),
];
