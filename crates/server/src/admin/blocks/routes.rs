//! The routes of blocks.

use serde_json::{Value, json};

use super::{
    super::{
        route::{Kind, Param, Route, Shape, Told, Verb, path, query},
        shared::{DRY_RUN, PAGES, SURE, WRITER, json_of, sequenced},
    },
    handlers,
};
use crate::authority::Permission;

const LIST: &str = "/ratelimit/blocks";
const ONE: &str = "/ratelimit/blocks/{id}";

const ID: &[Param] = &[path("id", Kind::Text(64), "The block's id, `b18`")];

const FILTERS: &[Param] = &[
    query("user_id", Kind::Text(1_024), "Blocks of this user"),
    query("org_id", Kind::Text(1_024), "Blocks of this organisation"),
    query("api_key", Kind::Text(1_024), "Blocks of the API key of this id"),
    query("ip", Kind::Text(64), "Blocks of just this address or network"),
    query("active", Kind::Truth, "Only those that are in force now, or only those that have ended"),
];

const UNKNOWN: (u16, &str) = (404, "There is no such block");

fn example() -> Value {
    json!({ "ip": "203.0.113.0/24", "reason": "credential stuffing", "ttl": "24h" })
}

/// A body that says for how long, and why.
pub(in super::super) fn terms_example() -> Value {
    json!({ "reason": "unpaid", "until": "2099-01-01T00:00:00Z" })
}

/// What is answered to a block.
pub(in super::super) const REPLIES: &[Told] = &[
    Told { headers: &["ETag", "Location"], ..sequenced(201, "They are blocked", "Block") },
    sequenced(200, "They were blocked before, and are now in this way", "Block"),
];

pub(in super::super) const ROUTES: &[Route] = &[
    Route {
        verb: Verb::Get,
        path: LIST,
        name: "listBlocks",
        about: "Who is denied before any rule is looked at, oldest write first",
        permission: Permission::Read,
        params: &[FILTERS, PAGES],
        body: None,
        replies: &[json_of(200, "A page of blocks", "BlockList")],
        problems: &[],
        handler: |call| Box::pin(handlers::list(call)),
    },
    Route {
        verb: Verb::Post,
        path: LIST,
        name: "createBlock",
        about: "Block a user, an organisation, an API key, an address or a network, on every node. Answers once all live \
                nodes know, at most 2 s by default",
        permission: Permission::Blocks,
        params: &[DRY_RUN, SURE, WRITER],
        body: Some(Shape { schema: "BlockWanted", example }),
        replies: REPLIES,
        problems: &[(422, "A field is wrong; each is named")],
        handler: |call| Box::pin(handlers::create(call)),
    },
    Route {
        verb: Verb::Get,
        path: ONE,
        name: "readBlock",
        about: "One block",
        permission: Permission::Read,
        params: &[ID],
        body: None,
        replies: &[sequenced(200, "The block", "Block")],
        problems: &[UNKNOWN],
        handler: |call| Box::pin(handlers::read(call)),
    },
    Route {
        verb: Verb::Delete,
        path: ONE,
        name: "deleteBlock",
        about: "End a block now",
        permission: Permission::Blocks,
        params: &[ID, DRY_RUN, SURE, WRITER],
        body: None,
        replies: &[json_of(200, "It is gone", "RemovedEntry")],
        problems: &[UNKNOWN],
        handler: |call| Box::pin(handlers::remove(call)),
    },
];
