//! From the table of routes to the document.

use serde_json::{Map, Value, json};

use super::{
    super::{
        proposals,
        route::{Content, Kind, Param, Place, Route, Shape, Told},
        routes,
        shared::{BODY_PROBLEMS, json_of},
    },
    schemas,
};

/// The whole document.
pub(in super::super) fn document() -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for route in routes::all() {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        if let Value::Object(operations) = path {
            operations.insert(route.verb.word().to_owned(), operation(route));
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Tollgate admin API",
            "version": env!("CARGO_PKG_VERSION"),
            "description": ABOUT,
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "security": [{}, { "bearer": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "bearer": { "type": "http", "scheme": "bearer" } },
            "headers": headers(),
            "schemas": schemas::all(),
        },
    })
}

const ABOUT: &str = "Rules, tiers, overrides, revisions, nodes and counters of a rate limiter. \
    Every error is `application/problem+json` (RFC 9457). A write of a rule or tier needs `If-Match` \
    with the `ETag` of what was read, so that two editors cannot overwrite each other. Without a token \
    the server answers on loopback only.";

fn operation(route: &Route) -> Value {
    let params = [Place::Path, Place::Query, Place::Header];
    let params = params.into_iter().flat_map(|place| route.params(place));
    let mut responses: Map<String, Value> = Map::new();
    for told in route.replies {
        responses.insert(told.status.to_string(), reply(told));
    }
    if proposals::may_wait(route) {
        let about = "With `approvals` it waits for another admin: nothing is changed yet";
        responses.insert("202".to_owned(), reply(&json_of(202, about, "Proposed")));
    }
    let of_body = route.body.iter().flat_map(|_| BODY_PROBLEMS);
    for (status, about) in route.problems.iter().chain(of_body).chain(EVERYWHERE) {
        let status = status.to_string();
        responses.entry(status).or_insert_with(|| problem(about));
    }
    responses.insert("default".to_owned(), problem("Anything else that went wrong"));
    let mut operation = json!({
        "operationId": route.name,
        "summary": route.about,
        "description": format!("Needs the permission `{}`.", route.permission),
        "parameters": params.map(param).collect::<Vec<Value>>(),
        "responses": responses,
    });
    if let (Some(shape), Value::Object(members)) = (&route.body, &mut operation) {
        members.insert("requestBody".to_owned(), body(shape));
    }
    operation
}

/// What can go wrong with every request.
const EVERYWHERE: &[(u16, &str)] = &[
    (400, "The request cannot be understood"),
    (401, "A token is needed, or another one"),
    (
        403,
        "The role of the caller does not allow it, or the listener is not for this caller, Host or origin",
    ),
    (415, "Something else than JSON was sent"),
    (503, "The rule database has no answer; decisions go on"),
];

fn param(param: &Param) -> Value {
    let place = match param.place {
        Place::Path => "path",
        Place::Query => "query",
        Place::Header => "header",
    };
    let mut json = json!({
        "name": param.name,
        "in": place,
        "required": param.place == Place::Path,
        "description": param.about,
        "schema": kind(param.kind),
    });
    let Value::Object(members) = &mut json else {
        return json;
    };
    if param.kind == Kind::Texts {
        members.insert("style".to_owned(), "deepObject".into());
        members.insert("explode".to_owned(), true.into());
    }
    if param.place == Place::Header {
        // Header fields that are too long are cut, not refused.
        members.insert("schema".to_owned(), json!({ "type": "string" }));
    }
    if param.name == "If-Match" {
        members.insert("example".to_owned(), "*".into());
    }
    json
}

fn kind(kind: Kind) -> Value {
    match kind {
        Kind::Text(bytes_max) => json!({ "type": "string", "maxLength": bytes_max }),
        Kind::Truth => json!({ "type": "boolean" }),
        Kind::Whole(min, max) => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Kind::Word(words) => json!({ "type": "string", "enum": words }),
        Kind::Span => json!({
            "type": "string",
            "pattern": "^([1-5]?[0-9]{1,4}ms|60000ms|[1-5]?[0-9]s?|60s?|[01]min)$",
            "examples": ["500ms", "5s", "1min"],
        }),
        Kind::LongSpan => json!({
            "type": "string",
            "pattern": "^[0-9]{1,4}(s|min|h|day|week)$",
            "examples": ["24h", "30day"],
        }),
        Kind::Texts => json!({
            "type": "object",
            "additionalProperties": { "type": "string" },
        }),
    }
}

fn body(shape: &Shape) -> Value {
    let example = (shape.example)();
    json!({
        "required": true,
        "content": {
            "application/json": { "schema": schema(shape.schema), "example": example },
        },
    })
}

fn reply(told: &Told) -> Value {
    let content = match told.content {
        Content::Nothing => json!({}),
        Content::Json(name) => json!({ "application/json": { "schema": schema(name) } }),
        Content::JsonOrYaml(name) => json!({
            "application/json": { "schema": schema(name) },
            "application/yaml": { "schema": { "type": "string" } },
        }),
        Content::JsonOrLines(name) => json!({
            "application/json": { "schema": schema(name) },
            "application/jsonl": { "schema": { "type": "string" } },
        }),
        Content::Text(kind) => json!({ kind: { "schema": { "type": "string" } } }),
    };
    let mut reply = json!({ "description": told.about });
    if let Value::Object(members) = &mut reply {
        if !matches!(told.content, Content::Nothing) {
            members.insert("content".to_owned(), content);
        }
        if !told.headers.is_empty() {
            let named = told.headers.iter().map(|name| {
                let header = json!({ "$ref": format!("#/components/headers/{name}") });
                ((*name).to_owned(), header)
            });
            members.insert("headers".to_owned(), named.collect());
        }
    }
    reply
}

fn headers() -> Value {
    let text = |about: &str| json!({ "description": about, "schema": { "type": "string" } });
    json!({
        "ETag": text("The version of what is shown: the revision or the write that made it so, in quotes"),
        "Location": text("Where the new thing is"),
        "Tollgate-Revision": {
            "description": "The revision that was read, or that was made",
            "schema": { "type": "integer", "minimum": 0 },
        },
    })
}

fn problem(about: &str) -> Value {
    json!({
        "description": about,
        "content": { "application/problem+json": { "schema": schema("Problem") } },
    })
}

fn schema(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}
