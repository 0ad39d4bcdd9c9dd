//! The routes of quotas.

use serde_json::{Value, json};

use super::{
    super::{
        blocks,
        route::{Kind, Param, Route, Shape, Told, Verb, path, query},
        shared::{DRY_RUN, PAGES, SEEN, SURE, WAIT, WRITER, json_of, sequenced},
    },
    block, handlers,
};
use crate::authority::Permission;

const ONE: &str = "/ratelimit/quotas/{user}";
const BLOCK: &str = "/ratelimit/quotas/{user}/block";

const USER: &[Param] = &[path("user", Kind::Text(1_024), "The user, with `/` written as `%2F`")];

const UNKNOWN: (u16, &str) = (404, "The user has no quota");
const CHANGED: (u16, &str) = (412, "Somebody else changed it meanwhile");
const UNSOUND: (u16, &str) = (422, "A field is wrong; each is named");

fn example() -> Value {
    json!({ "tier": "premium", "limits": ["100/s", "1000000/month"] })
}

pub(in super::super) const ROUTES: &[Route] = &[
    Route {
        verb: Verb::Get,
        path: "/ratelimit/quotas",
        name: "listQuotas",
        about: "Quotas, oldest write first",
        permission: Permission::Read,
        params: &[&[query("tier", Kind::Text(1_024), "Of this tier")], PAGES],
        body: None,
        replies: &[json_of(200, "A page of quotas", "QuotaList")],
        problems: &[],
        handler: |call| Box::pin(handlers::list(call)),
    },
    Route {
        verb: Verb::Get,
        path: ONE,
        name: "readQuota",
        about: "A user's quota, what the user has used today and this month, and whether the user is blocked",
        permission: Permission::Read,
        params: &[USER],
        body: None,
        replies: &[sequenced(200, "The quota", "Quota")],
        problems: &[UNKNOWN],
        handler: |call| Box::pin(handlers::read(call)),
    },
    Route {
        verb: Verb::Put,
        path: ONE,
        name: "writeQuota",
        about: "Set a user's quota, in the place of the quota before: a tier, and limits in the place of the tier's defaults",
        permission: Permission::Quotas,
        params: &[USER, SEEN, DRY_RUN, WAIT, WRITER],
        body: Some(Shape { schema: "QuotaWanted", example }),
        replies: &[
            sequenced(200, "The quota, changed", "Quota"),
            Told {
                headers: &["ETag", "Location"],
                ..sequenced(201, "The quota, created", "Quota")
            },
        ],
        problems: &[CHANGED, UNSOUND],
        handler: |call| Box::pin(handlers::put(call)),
    },
    Route {
        verb: Verb::Delete,
        path: ONE,
        name: "deleteQuota",
        about: "Remove a user's quota",
        permission: Permission::Quotas,
        params: &[USER, SEEN, DRY_RUN, WAIT, WRITER],
        body: None,
        replies: &[json_of(200, "It is gone", "RemovedEntry")],
        problems: &[UNKNOWN, CHANGED],
        handler: |call| Box::pin(handlers::remove(call)),
    },
    Route {
        verb: Verb::Post,
        path: BLOCK,
        name: "blockUser",
        about: "Block a user, as POST /ratelimit/blocks does",
        permission: Permission::Blocks,
        params: &[USER, DRY_RUN, SURE, WRITER],
        body: Some(Shape { schema: "BlockTerms", example: blocks::terms_example }),
        replies: blocks::REPLIES,
        problems: &[UNSOUND],
        handler: |call| Box::pin(block::put(call)),
    },
    Route {
        verb: Verb::Delete,
        path: BLOCK,
        name: "unblockUser",
        about: "End every block of a user",
        permission: Permission::Blocks,
        params: &[USER, DRY_RUN, SURE, WRITER],
        body: None,
        replies: &[json_of(200, "They are not blocked any more", "RemovedEntry")],
        problems: &[(404, "They are not blocked")],
        handler: |call| Box::pin(block::remove(call)),
    },
];
