//! A server with rules of every kind, and how it is asked.

use serde_json::{Value, json};

use super::client::RlsClient;
use crate::common::{Desk, server::Server};

const RULES: &str = r#"
version: 1
tiers:
  free: { rank: 1 }
  gold: { rank: 2 }
rules:
  - { name: user, match: { descriptor: [[user_id]] }, key: [user], limit: 3/day, algorithm: fixed_window, response: { message: "three a day" } }
  - { name: org, match: { descriptor: [[org_id]] }, key: [org], limit: 100/h, algorithm: fixed_window }
  - { name: office, match: { descriptor: [[api_key, office]] }, action: allow }
  - { name: banned, match: { descriptor: [[api_key, banned]] }, action: block, response: { message: "go away" } }
  - { name: shop, match: { attributes: { domain: shop, kind: order } }, key: [attributes.kind], limit: 5/min, algorithm: fixed_window }
  - { name: login, match: { endpoint: /login, method: POST, tier: gold, ip: 192.0.2.0/24 }, key: [ip], limit: 7/s, algorithm: fixed_window }
overrides:
  - { rule: org, key: { org: vip }, unlimited: true }
"#;

pub(super) fn house() -> (Desk, Server, RlsClient) {
    let desk = Desk::new();
    desk.write("rules.yaml", RULES);
    let server = desk.serve(&["--rules", "rules.yaml"]);
    let client = RlsClient::to(server.grpc);
    (desk, server, client)
}

/// A descriptor of these entries.
pub(super) fn entries(entries: &[(&str, &str)]) -> Value {
    let entry = |(key, value): &(&str, &str)| json!({ "key": key, "value": value });
    json!({ "entries": entries.iter().map(entry).collect::<Vec<Value>>() })
}

pub(super) fn one(key: &str, value: &str) -> Value {
    entries(&[(key, value)])
}

pub(super) fn about(descriptors: &[Value]) -> Value {
    json!({ "domain": "any", "descriptors": descriptors })
}
