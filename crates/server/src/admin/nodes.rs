//! `/ratelimit/nodes`

use serde_json::{Value, json};
use tollgate_catalog::Node;

use super::{
    call::Call,
    reply::Reply,
    route::{Outcome, Route, Verb},
    shared::json_of,
    when,
};
use crate::authority::Permission;

pub(super) const ROUTES: &[Route] = &[Route {
    verb: Verb::Get,
    path: "/ratelimit/nodes",
    name: "listNodes",
    about: "Every node that has reported in the last week, and the revision it runs; `revision` is the newest",
    permission: Permission::Read,
    params: &[],
    body: None,
    replies: &[json_of(200, "The nodes", "NodeList")],
    problems: &[],
    handler: |call| Box::pin(list(call)),
}];

async fn list(call: Call) -> Outcome {
    let state = &call.state;
    let nodes = call.reading(state.catalog.nodes()).await?;
    let head = call.reading(state.catalog.head()).await?;
    let node = |node: &Node| {
        json!({
            "id": node.id.as_str(),
            "this": node.id == state.node,
            "revision": node.revision.get(),
            "hash": node.hash.to_string(),
            "override_sequence": node.override_seq.get(),
            "started_at": when::shown(node.started_at),
            "seen_at": when::shown(node.seen_at),
            "live": node.is_live,
            "left": node.has_left,
        })
    };
    let body = json!({
        "nodes": nodes.iter().map(node).collect::<Vec<Value>>(),
        "this": state.node.as_str(),
        "revision": head.revision.get(),
        "region": state.region,
    });
    Ok(Reply::json(&body))
}
