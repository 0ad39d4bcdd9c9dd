//! What Envoy is told while the shared counters are away.
// Proves: C6

use prost_types::value::Kind;
use tollgate_rls::{Code, RateLimitResponse};

use super::rig::{descriptor, request};
use crate::{
    engine::Engine,
    rls::service::{Caller, Rls},
};

const RULES: &str = "
version: 1
rules:
  - { name: wide, match: { descriptor: [[wide]] }, key: [attributes.wide], limit: 5/h, on_failure: open }
  - { name: shut, match: { descriptor: [[shut]] }, key: [attributes.shut], limit: 5/h, on_failure: closed }
";

fn told(response: &RateLimitResponse) -> Option<&str> {
    let mut headers = response.response_headers_to_add.iter();
    let header = headers.find(|header| header.key == "x-tollgate-fallback");
    header.map(|header| header.value.as_str())
}

#[tokio::test]
async fn the_policy_that_decided_is_a_header() {
    let engine = Engine::without_redis(RULES);
    let rls = Rls::plain(engine, None);
    for (name, code, policy) in [
        ("wide", Code::Ok, Some("open")),
        ("shut", Code::OverLimit, Some("closed")),
        ("none", Code::Ok, None),
    ] {
        let question = request(&[descriptor(&format!("{name}=a"))]);
        let response = rls.answer(&question, Caller::NEAR).await.unwrap();
        let fields = &response.dynamic_metadata.as_ref().unwrap().fields;
        let reason = fields["reason"].kind.clone().unwrap();
        let wanted = policy.map_or("allowed", |_| "fallback");
        assert_eq!(reason, Kind::StringValue(wanted.to_owned()), "{name}");
        assert_eq!((response.overall_code(), told(&response)), (code, policy), "{name}");
    }
}
