//! What cannot be answered, and how the server says how it is.

use serde_json::json;

use super::{
    client::RlsClient,
    question::{about, entries, house, one},
};
use crate::common::Desk;

#[test]
fn what_cannot_be_answered_is_an_error_with_words() {
    let (_desk, _server, mut client) = house();
    let many = vec![one("user_id", "ann"); 65];
    let deep = entries(&vec![("more", "of it"); 64]);
    let mut endless = one("user_id", "ann");
    endless["limit"] = json!({ "requests_per_unit": 1 });
    for (asked, words) in [
        (json!({ "descriptors": [one("user_id", "ann")] }), "set `domain`"),
        (json!({ "domain": "any" }), "set `rate_limits`"),
        (about(&many), "at most 64"),
        (about(&[one("user_id", "ann"), deep]), "descriptor 1 has 64 entries"),
        (about(&[endless]), "no known unit"),
    ] {
        let answer = client.ask(&asked);
        assert_eq!(answer["error"], "INVALID_ARGUMENT", "{answer}");
        let told = answer["details"].as_str().unwrap();
        assert!(told.contains(words), "{words}: {told}");
    }
    // None of it was charged.
    let answer = client.ask(&about(&[one("user_id", "ann")]));
    assert_eq!(answer["statuses"][0]["limit_remaining"], 2, "{answer}");
}

// Proves: R9, S2
#[test]
fn without_rules_it_is_unavailable_and_not_healthy() {
    let desk = Desk::on("postgres://gate:secret@127.0.0.1:1/none");
    let server = desk.serve(&[]);
    let mut client = RlsClient::to(server.grpc);
    let answer = client.ask(&about(&[one("user_id", "ann")]));
    assert_eq!(answer["error"], "UNAVAILABLE", "{answer}");
    let told = answer["details"].as_str().unwrap();
    assert!(told.contains("no rules are loaded"), "{told}");
    assert_eq!(client.is_healthy("")["status"], "NOT_SERVING");
}

#[test]
fn health_and_reflection_are_answered_by_their_published_clients() {
    let (_desk, _server, mut client) = house();
    let service = "envoy.service.ratelimit.v3.RateLimitService";
    for name in ["", service] {
        assert_eq!(client.is_healthy(name), json!({ "status": "SERVING" }), "{name}");
    }
    assert_eq!(client.is_healthy("no.such.Service")["error"], "NOT_FOUND");
    let services = client.services();
    let services = services.as_array().unwrap();
    for name in [service, "grpc.health.v1.Health"] {
        assert!(services.contains(&json!(name)), "{name}: {services:?}");
    }
    let fields = client.fields("envoy.service.ratelimit.v3.RateLimitRequest");
    assert_eq!(fields, json!({ "domain": 1, "descriptors": 2, "hits_addend": 3 }));
}
