//! `/`, `/healthz`, `/readyz`, `/metrics`

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::{
    call::Call,
    reply::Reply,
    route::{Content, Outcome, Route, Told, Verb},
    routes,
    shared::json_of,
};
use crate::authority::Permission;

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

pub(super) const ROUTES: &[Route] = &[
    Route {
        verb: Verb::Get,
        path: "/",
        name: "index",
        about: "What is here",
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
    let paths: Vec<Value> = paths
        .map(|(path, methods)| json!({ "path": path, "methods": methods }))
        .collect();
    let body = json!({
        "service": "tollgate",
        "version": env!("CARGO_PKG_VERSION"),
        "node": call.state.node.as_str(),
        "region": call.state.region,
        "openapi": "/openapi.json",
        "paths": paths,
    });
    Ok(Reply::json(&body))
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
