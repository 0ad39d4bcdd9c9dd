//! What clients are told.

use std::sync::Arc;

use tollgate::{
    Gate, ManualClock, MemoryStore,
    rules::{Live, RuleSet},
};
use tollgate_tower::{Fields, Key as _, Malformed, ResetAs, TollgateLayer, header};

use super::{get, limiter, send};

/// A gate over these rules on a clock that stands.
fn gate(rules: &str) -> Arc<Gate<MemoryStore<ManualClock>, ManualClock>> {
    let rules: RuleSet = rules.parse().unwrap();
    let live = Arc::new(Live::new());
    live.publish(&rules, 7);
    let clock = ManualClock::start();
    Arc::new(Gate::new(live, MemoryStore::new(clock.clone()), clock))
}

// Proves: S5, L2
#[tokio::test]
async fn numbers_stand_on_every_answer() {
    let (limiter, clock) = limiter("1/s, 3/day");
    let layer = TollgateLayer::embedded(limiter).unwrap();
    let layer = layer.fields(Fields::Both).name("search").unwrap();
    let first = send(&layer, get("/")).await;
    assert_eq!((first.status, &first.body[..]), (200, &b"Some((true, Some(0)))"[..]));
    assert_eq!(first.header("x-ratelimit-limit"), "1");
    assert_eq!(first.header("ratelimit-policy"), r#""search:s";q=1;w=1, "search:day";q=3;w=86400"#);
    assert_eq!(first.header("ratelimit"), r#""search:s";r=0;t=1"#);
    assert!(!first.has("retry-after"));

    let denied = send(&layer, get("/")).await;
    assert_eq!(denied.status, 429);
    assert_eq!(denied.header("retry-after"), "1");
    assert_eq!(denied.header("tollgate-reason"), "throttled");
    assert_eq!(denied.header("ratelimit"), r#""search:s";r=0;t=1"#);
    let problem = denied.json();
    assert_eq!(problem["reason"], "throttled");
    assert_eq!(problem["type"], "https://iana.org/assignments/http-problem-types#quota-exceeded");
    assert_eq!(problem["violated-policies"], serde_json::json!(["search:s"]));
    assert_eq!(problem["limits"].as_array().unwrap().len(), 2);
    let reset = denied.header("x-ratelimit-reset").parse::<u64>().unwrap();
    assert_eq!(problem["reset"], reset);

    let seconds = layer.reset_as(ResetAs::Seconds).fields(Fields::Vendor);
    clock.advance(std::time::Duration::from_secs(2));
    let later = send(&seconds, get("/")).await;
    assert_eq!((later.status, later.has("ratelimit")), (200, false));
    assert!(later.header("x-ratelimit-reset").parse::<u64>().unwrap() <= 86_400);
}

// Proves: S5
#[tokio::test]
async fn rules_say_how_they_deny() {
    let gate = gate(
        "version: 1\nrules:\n  \
         - { name: abusers, match: { api_key: bad }, action: block }\n  \
         - { name: export, match: { endpoint: /export, method: POST }, key: [api_key], limit: 1/day, \
             response: { status: 503, message: tomorrow again, retry_after: 7 } }\n",
    );
    let layer = TollgateLayer::embedded(gate).unwrap();
    let layer = layer.key(header("x-api-key")).fields(Fields::Both);
    let post = |key: &str| http::Request::post("/export").header("x-api-key", key);

    assert_eq!(send(&layer, post("k1")).await.status, 200);
    let denied = send(&layer, post("k1")).await;
    assert_eq!((denied.status, denied.json()["message"].as_str()), (503, Some("tomorrow again")));
    assert_eq!(denied.header("ratelimit-policy"), r#""export";q=1;w=86400"#);
    assert!(denied.header("retry-after").parse::<u64>().unwrap() >= 7);
    assert_eq!(denied.json()["revision"], 7);

    let blocked = send(&layer, post("bad")).await;
    assert_eq!(blocked.status, 403);
    assert_eq!(blocked.json()["violated-policies"], serde_json::json!(["abusers"]));
    assert_eq!(blocked.header("ratelimit-policy"), r#""abusers";q=0"#);
    assert!(!blocked.has("retry-after"));

    // Nothing matches: nothing is said.
    let free = send(&layer, get("/").header("x-api-key", "k1")).await;
    assert_eq!(
        (free.status, free.has("x-ratelimit-limit"), free.has("ratelimit")),
        (200, false, false)
    );
}

// Proves: L2
#[tokio::test]
async fn grpc_is_answered_in_grpc() {
    let (limiter, _clock) = limiter("1/day");
    let layer = TollgateLayer::embedded(limiter).unwrap();
    let call = || http::Request::post("/a.B/C").header("content-type", "application/grpc+proto");
    assert_eq!(send(&layer, call()).await.status, 200);
    let denied = send(&layer, call()).await;
    assert_eq!((denied.status, denied.body.len()), (200, 0));
    assert_eq!(denied.header("grpc-status"), "8");
    assert_eq!(denied.header("content-type"), "application/grpc+proto");
    assert_eq!(denied.header("x-ratelimit-remaining"), "0");
    assert!(denied.header("retry-after").parse::<u64>().unwrap() > 1);
    let pushback = denied.header("grpc-retry-pushback-ms");
    assert!(pushback.parse::<u64>().unwrap() > 1_000);
}

/// Clients that retry by themselves wait as long as those that are told.
// Proves: L2
#[tokio::test]
async fn grpc_clients_are_pushed_back_no_less_than_others() {
    let gate = gate(
        "version: 1\nrules: [{ name: slow, key: [], limit: { per: 1/s, burst: 1 }, response: { retry_after: 7 } }]",
    );
    let layer = TollgateLayer::embedded(gate).unwrap();
    let call = || http::Request::post("/a.B/C").header("content-type", "application/grpc");
    assert_eq!(send(&layer, call()).await.status, 200);
    let denied = send(&layer, call()).await;
    assert_eq!(denied.header("retry-after"), "7");
    assert_eq!(denied.header("grpc-retry-pushback-ms"), "7000");
}

/// What no rule can be asked about is not a way around the rules.
// Proves: L2, I1
#[tokio::test]
async fn malformed_facts_are_answered_with_400_unless_said() {
    let gate = gate("version: 1\nrules: [{ name: all, key: [api_key], limit: 1/day }]");
    let layer = TollgateLayer::embedded(gate).unwrap().key(header("x-api-key"));
    let long = "k".repeat(1_025);
    for request in [get("/a/../../b"), get("/").header("x-api-key", &long)] {
        let answer = send(&layer, request).await;
        assert_eq!(
            (answer.status, answer.json()["status"].as_u64()),
            (400, Some(400)),
            "{answer:?}"
        );
    }
    assert_eq!(layer.counts().malformed, 2);
    // A request that has no path is none of them.
    let star = http::Request::options("*").header("x-api-key", "star");
    assert_eq!(send(&layer, star).await.status, 200);
    let layer = layer.malformed(Malformed::Pass);
    assert_eq!(send(&layer, get("/").header("x-api-key", &long)).await.status, 200);
    let grpc = get("/a/../../b").header("content-type", "application/grpc");
    let strict = layer.malformed(Malformed::Reject);
    assert_eq!(send(&strict, grpc).await.header("grpc-status"), "3");
}

/// A gate that was never given rules must not take its host down.
// Proves: L2, C6
#[tokio::test]
async fn without_rules_requests_pass_and_are_counted() {
    let clock = ManualClock::start();
    let gate = Gate::new(Arc::new(Live::new()), MemoryStore::new(clock.clone()), clock);
    let layer = TollgateLayer::embedded(Arc::new(gate)).unwrap();
    let layer = layer.key(header("x-user").as_user());
    for _ in 0..3 {
        let passed = send(&layer, get("/")).await;
        assert_eq!((passed.status, &passed.body[..]), (200, &b"None"[..]));
    }
    assert_eq!(layer.counts().unanswered, 3);
}
