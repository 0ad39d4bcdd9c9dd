//! `/`, `/healthz`, `/readyz`, `/metrics`

use axum::http::StatusCode;
use serde_json::{Value, json};
use tollgate_redis::{Health, Layout, ShardHealth, Standing};

use super::{
    call::Call,
    reply::Reply,
    route::{Content, Outcome, Route, Told, Verb},
    routes,
    shared::json_of,
    state::Connections,
    when,
};
use crate::authority::Permission;

/// The most shards that are listed.
const SHARDS_MAX: usize = 1_000;

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

pub(super) const ROUTES: &[Route] = &[
    Route {
        verb: Verb::Get,
        path: "/",
        name: "index",
        about: "What is here: the node, where it listens, its database and Redis, and every path",
        permission: Permission::Read,
        params: &[],
        body: None,
        replies: &[json_of(200, "Every path, with its methods", "Index")],
        problems: &[],
        handler: |call| Box::pin(index(call)),
    },
    Route {
        verb: Verb::Get,
        path: "/healthz",
        name: "alive",
        about: "Whether the process answers",
        permission: Permission::Check, // probes carry no token
        params: &[],
        body: None,
        replies: &[json_of(200, "It does", "Alive")],
        problems: &[],
        handler: |call| Box::pin(alive(call)),
    },
    Route {
        verb: Verb::Get,
        path: "/readyz",
        name: "ready",
        about: "Whether the node can decide, by which revision, and what is degraded",
        permission: Permission::Check,
        params: &[],
        body: None,
        replies: &[
            json_of(200, "It can", "Ready"),
            json_of(503, "It has no rules at all", "Ready"),
        ],
        problems: &[],
        handler: |call| Box::pin(ready(call)),
    },
    Route {
        verb: Verb::Get,
        path: "/metrics",
        name: "metrics",
        about: "All metrics, for Prometheus",
        permission: Permission::Read,
        params: &[],
        body: None,
        replies: &[Told {
            status: 200,
            about: "The metrics as OpenMetrics text",
            content: Content::Text("application/openmetrics-text"),
            headers: &[],
        }],
        problems: &[],
        handler: |call| Box::pin(metrics(call)),
    },
];

async fn index(call: Call) -> Outcome {
    let mut paths: Vec<(&str, Vec<String>)> = Vec::new();
    for route in routes::all() {
        let method = route.verb.method().to_string();
        match paths.iter_mut().find(|(path, _)| *path == route.path) {
            Some((_, methods)) => methods.push(method),
            None => paths.push((route.path, vec![method])),
        }
    }
    let paths = paths.into_iter();
    let paths: Vec<Value> =
        paths.map(|(path, methods)| json!({ "path": path, "methods": methods })).collect();
    let Connections { listeners, database, .. } = &call.state.connections;
    let body = json!({
        "service": "tollgate",
        "version": env!("CARGO_PKG_VERSION"),
        "node": call.state.node.as_str(),
        "region": call.state.region,
        "listeners": {
            "http": listeners.http.to_string(),
            "grpc": listeners.grpc.to_string(),
            "resp": listeners.resp.to_string(),
            "admin": listeners.admin.to_string(),
        },
        "database": database,
        "redis": redis(&call),
        "openapi": "/openapi.json",
        "paths": paths,
    });
    Ok(Reply::json(&body))
}

/// Redis and its shards, if counters are shared.
fn redis(call: &Call) -> Option<Value> {
    let (fleet, address) = (call.state.engine.fleet()?, call.state.connections.redis.as_ref());
    let Health { layout, shards, live_nodes, .. } = fleet.redis().health();
    let layout = match layout {
        Layout::Single => "single",
        Layout::Cluster => "cluster",
        _ => "unknown",
    };
    let shards: Vec<Value> = shards.iter().take(SHARDS_MAX).map(shard).collect();
    Some(
        json!({ "address": address, "layout": layout, "live_nodes": live_nodes, "shards": shards }),
    )
}

fn shard(shard: &ShardHealth) -> Value {
    let (state, percent) = match shard.standing {
        Standing::Up => ("up", 100),
        Standing::Returning(percent) => ("returning", percent),
        _ => ("down", 0),
    };
    let doubt = shard.doubt.map(|doubt| {
        json!({
            "since": when::shown(doubt.since), "until": when::shown(doubt.until), "awaited": doubt.awaited,
        })
    });
    json!({
        "name": shard.name, "state": state, "asked_percent": percent, "trouble": shard.trouble, "doubt": doubt,
    })
}

async fn alive(_: Call) -> Outcome {
    Ok(Reply::json(&json!({ "status": "ok" })))
}

async fn ready(call: Call) -> Outcome {
    let condition = (call.state.condition)();
    let status = match condition.is_ready() {
        true => StatusCode::OK,
        false => StatusCode::SERVICE_UNAVAILABLE,
    };
    Ok(Reply::json(&condition.to_json()).status(status))
}

async fn metrics(call: Call) -> Outcome {
    let recorder = call.state.engine.recorder();
    Ok(Reply::text(OPEN_METRICS, recorder.scrape()))
}
