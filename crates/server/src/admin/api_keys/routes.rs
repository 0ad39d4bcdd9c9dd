//! The routes of API keys.

use serde_json::{Value, json};

use super::{
    super::{
        route::{Kind, Param, Route, Shape, Told, Verb, path, query},
        shared::{DRY_RUN, PAGES, SEEN, SURE, WAIT, WRITER, json_of, sequenced},
    },
    handlers,
};
use crate::authority::Permission;

const LIST: &str = "/ratelimit/api-keys";
const ONE: &str = "/ratelimit/api-keys/{id}";

const ID: &[Param] = &[path("id", Kind::Text(64), "The key's id, `k17`; never the key itself")];

const FILTERS: &[Param] = &[
    query("user_id", Kind::Text(1_024), "Keys of this user"),
    query("org_id", Kind::Text(1_024), "Keys of this organisation"),
    query("state", Kind::Word(&["active", "expired", "revoked"]), "Keys that are so"),
];

const UNKNOWN: (u16, &str) = (404, "There is no such key");
const CHANGED: (u16, &str) = (412, "Somebody else changed it meanwhile");
const UNSOUND: (u16, &str) = (422, "A field is wrong; each is named");

const fn body(example: fn() -> Value) -> Option<Shape> {
    Some(Shape { schema: "ApiKeyWanted", example })
}

fn example() -> Value {
    json!({
        "name": "billing service", "user_id": "acme", "tier": "free",
        "limits": ["10/s", "10000/day"], "ttl": "90day",
    })
}

fn other_name() -> Value {
    json!({ "name": "billing service, old" })
}

pub(in super::super) const ROUTES: &[Route] = &[
    Route {
        verb: Verb::Get,
        path: LIST,
        name: "listApiKeys",
        about: "API keys, oldest write first, without the keys themselves",
        permission: Permission::Read,
        params: &[FILTERS, PAGES],
        body: None,
        replies: &[json_of(200, "A page of keys", "ApiKeyList")],
        problems: &[],
        handler: |call| Box::pin(handlers::list(call)),
    },
    Route {
        verb: Verb::Post,
        path: LIST,
        name: "createApiKey",
        about: "Issue an API key. `key` in the answer is the key itself: it is shown this once and kept nowhere",
        permission: Permission::ApiKeys,
        params: &[DRY_RUN, WAIT, WRITER],
        body: body(example),
        replies: &[
            Told { headers: &["ETag", "Location"], ..json_of(201, "The new key", "IssuedApiKey") },
            json_of(200, "It would be issued (`dry_run`)", "DryIssue"),
        ],
        problems: &[UNSOUND],
        handler: |call| Box::pin(handlers::create(call)),
    },
    Route {
        verb: Verb::Get,
        path: ONE,
        name: "readApiKey",
        about: "One API key, with what it has used",
        permission: Permission::Read,
        params: &[ID],
        body: None,
        replies: &[sequenced(200, "The key", "ApiKey")],
        problems: &[UNKNOWN],
        handler: |call| Box::pin(handlers::read(call)),
    },
    Route {
        verb: Verb::Put,
        path: ONE,
        name: "changeApiKey",
        about: "Change name, user, organisation, tier, limits or end; what is left out stays, null takes it away",
        permission: Permission::ApiKeys,
        params: &[ID, SEEN, WAIT, WRITER],
        body: body(other_name),
        replies: &[sequenced(200, "The key as it is now", "ApiKey")],
        problems: &[UNKNOWN, CHANGED, UNSOUND],
        handler: |call| Box::pin(handlers::change(call)),
    },
    Route {
        verb: Verb::Delete,
        path: ONE,
        name: "deleteApiKey",
        about: "Revoke an API key, as POST …/revoke does; it stays on the list as revoked",
        permission: Permission::ApiKeys,
        params: &[ID, SEEN, SURE, WRITER],
        body: None,
        replies: &[sequenced(200, "It is revoked", "ApiKey")],
        problems: &[UNKNOWN, CHANGED],
        handler: |call| Box::pin(handlers::revoke(call)),
    },
    Route {
        verb: Verb::Post,
        path: "/ratelimit/api-keys/{id}/rotate",
        name: "rotateApiKey",
        about: "Issue another key in its place; the one before is accepted for `grace`, by default not at all",
        permission: Permission::ApiKeys,
        params: &[
            ID,
            &[query(
                "grace",
                Kind::LongSpan,
                "How long the key before is still accepted, at most 90day; by default not at all",
            )],
            SEEN,
            SURE,
            WRITER,
        ],
        body: None,
        replies: &[sequenced(200, "The key, shown this once", "IssuedApiKey")],
        problems: &[UNKNOWN, (409, "It was revoked"), CHANGED, UNSOUND],
        handler: |call| Box::pin(handlers::rotate(call)),
    },
    Route {
        verb: Verb::Post,
        path: "/ratelimit/api-keys/{id}/revoke",
        name: "revokeApiKey",
        about: "Revoke an API key for good, on every node. Answers once all live nodes know, at most 2 s by default",
        permission: Permission::ApiKeys,
        params: &[ID, SEEN, SURE, WRITER],
        body: None,
        replies: &[sequenced(200, "It is revoked", "ApiKey")],
        problems: &[UNKNOWN, CHANGED],
        handler: |call| Box::pin(handlers::revoke(call)),
    },
];
