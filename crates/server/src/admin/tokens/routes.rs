//! The routes of tokens.

use serde_json::{Value, json};

use super::{
    super::{
        route::{Kind, Param, Route, Shape, Told, Verb, path},
        shared::{DRY_RUN, PAGES, SEEN, SURE, WRITER, json_of, sequenced},
    },
    handlers,
};
use crate::authority::Permission;

const LIST: &str = "/ratelimit/tokens";
const ONE: &str = "/ratelimit/tokens/{id}";

const ID: &[Param] = &[path("id", Kind::Text(64), "The token's id, `t19`; never the token itself")];

const UNKNOWN: (u16, &str) = (404, "There is no such token");
const CHANGED: (u16, &str) = (412, "Somebody else changed it meanwhile");

fn example() -> Value {
    json!({ "name": "dana", "role": "operator", "ttl": "30day" })
}

pub(in super::super) const ROUTES: &[Route] = &[
    Route {
        verb: Verb::Get,
        path: LIST,
        name: "listTokens",
        about: "Tokens of the admin side, oldest write first, without the tokens themselves",
        permission: Permission::Tokens,
        params: &[PAGES],
        body: None,
        replies: &[json_of(200, "A page of tokens", "TokenList")],
        problems: &[],
        handler: |call| Box::pin(handlers::list(call)),
    },
    Route {
        verb: Verb::Post,
        path: LIST,
        name: "createToken",
        about: "Issue a token in a role. `token` in the answer is the token itself: it is shown this once and kept nowhere",
        permission: Permission::Tokens,
        params: &[DRY_RUN, SURE, WRITER],
        body: Some(Shape { schema: "TokenWanted", example }),
        replies: &[
            Told { headers: &["ETag", "Location"], ..json_of(201, "The new token", "IssuedToken") },
            json_of(200, "It would be issued (`dry_run`)", "DryIssue"),
        ],
        problems: &[
            (403, "The token would have more than the one that issues it"),
            (409, "Another token that opens something has this name"),
            (422, "A field is wrong; each is named"),
        ],
        handler: |call| Box::pin(handlers::create(call)),
    },
    Route {
        verb: Verb::Get,
        path: ONE,
        name: "readToken",
        about: "One token",
        permission: Permission::Tokens,
        params: &[ID],
        body: None,
        replies: &[sequenced(200, "The token", "Token")],
        problems: &[UNKNOWN],
        handler: |call| Box::pin(handlers::read(call)),
    },
    Route {
        verb: Verb::Delete,
        path: ONE,
        name: "deleteToken",
        about: "Revoke a token, as POST …/revoke does; it stays on the list as revoked",
        permission: Permission::Tokens,
        params: &[ID, SEEN, SURE, WRITER],
        body: None,
        replies: &[sequenced(200, "It is revoked", "Token")],
        problems: &[UNKNOWN, CHANGED],
        handler: |call| Box::pin(handlers::revoke(call)),
    },
    Route {
        verb: Verb::Post,
        path: "/ratelimit/tokens/{id}/revoke",
        name: "revokeToken",
        about: "Revoke a token for good, on every node. Answers once all live nodes know, at most 2 s by default",
        permission: Permission::Tokens,
        params: &[ID, SEEN, SURE, WRITER],
        body: None,
        replies: &[sequenced(200, "It is revoked", "Token")],
        problems: &[UNKNOWN, CHANGED],
        handler: |call| Box::pin(handlers::revoke(call)),
    },
];
