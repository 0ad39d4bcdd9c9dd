//! What is called, as messages.

use bytes::Bytes;
use prost::Message as _;
use tollgate_rls::{Entry, RateLimitDescriptor, RateLimitRequest};

use super::super::script::Script;
use crate::rules::Asked;

/// One descriptor with four facts, against 200 rules.
pub(in crate::servers) fn should_rate_limit() -> Script {
    let method = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
    Script::calls(method, |user| {
        let entry = |(field, value): (&'static str, String)| Entry {
            key: Bytes::from_static(key(field).as_bytes()),
            value: value.into(),
        };
        let facts = Asked::new(user % 200).facts(user);
        let request = RateLimitRequest {
            domain: Bytes::from_static(b"bench"),
            descriptors: vec![RateLimitDescriptor {
                entries: facts.into_iter().map(entry).collect(),
                ..RateLimitDescriptor::default()
            }],
            hits_addend: 0,
        };
        request.encode_to_vec()
    })
}

/// What Envoy calls a fact.
fn key(field: &'static str) -> &'static str {
    match field {
        "endpoint" => "path",
        "ip" => "remote_address",
        other => other,
    }
}

/// throttlecrab's own question: a key, and a limit with it.
pub(in crate::servers) fn throttle() -> Script {
    Script::calls("/throttlecrab.RateLimiter/Throttle", |user| {
        let request = Throttle {
            key: format!("user:{user}"),
            max_burst: 1_000_000,
            count_per_period: 1_000_000,
            period: 60,
            quantity: 1,
        };
        request.encode_to_vec()
    })
}

#[derive(Clone, PartialEq, prost::Message)]
struct Throttle {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(int32, tag = "2")]
    max_burst: i32,
    #[prost(int32, tag = "3")]
    count_per_period: i32,
    #[prost(int32, tag = "4")]
    period: i32,
    #[prost(int32, tag = "5")]
    quantity: i32,
}
