//! What a server does not answer with a decision, and servers that are gone.

use std::sync::Arc;

use serde_json::Value;
use tollgate::{ManualClock, RateLimiter};
use tollgate_client::Fallback;
use tollgate_tower::{Malformed, TollgateLayer, bearer_token, header, peer_ip};
use tower::Layer as _;

use super::{client, remote, send};
use crate::common::{Desk, standstill};

const RULES: &str =
    "version: 1\nrules: [{ name: all, key: [api_key], limit: { per: 3/day, burst: 3 } }]\n";

fn get(key: &str) -> http::request::Builder {
    http::Request::get("/").header("x-api-key", key)
}

// Proves: I1, L2
#[tokio::test(start_paused = true)]
async fn credentials_that_are_refused_are_401_and_nonsense_is_400() {
    let _still = standstill();
    let desk = Desk::new();
    desk.write("rules.yaml", RULES);
    let server = desk.serve(&["--rules", "rules.yaml"]);
    for (scheme, address) in [("http", server.http), ("redis", server.resp)] {
        let layer = remote(scheme, address).key(header("x-api-key"));
        let refused = send(&layer, get("tgk_this-is-no-key-that-was-issued-here")).await;
        assert_eq!(refused.status, 401, "{refused:?}");
        let problem: Value = serde_json::from_slice(&refused.body).unwrap();
        assert_eq!(problem["status"], 401, "{problem}");
        let long = "k".repeat(2_000);
        assert_eq!(send(&layer, get(&long)).await.status, 400);
        let counts = layer.counts();
        assert_eq!((counts.refused, counts.malformed, counts.unanswered), (1, 1, 0));
        let lenient = layer.malformed(Malformed::Pass);
        assert_eq!(send(&lenient, get(&long)).await.status, 200);
        let token = remote(scheme, address).key(bearer_token());
        let bearer = http::Request::get("/").header("authorization", "Bearer no.real.token");
        let answer = send(&token, bearer).await;
        assert!([200, 400, 401].contains(&answer.status), "{answer:?}");
    }
}

/// The local limit is asked first: what it denies costs the server nothing.
// Proves: L2
#[tokio::test(start_paused = true)]
async fn a_local_limit_stands_before_the_servers() {
    let _still = standstill();
    let desk = Desk::new();
    desk.write("rules.yaml", RULES);
    let server = desk.serve(&["--rules", "rules.yaml"]);
    let local = RateLimiter::builder().limit("2/day".parse().unwrap()).build();
    let local = TollgateLayer::embedded(Arc::new(local)).unwrap().key(header("x-api-key"));
    let remote = remote("http", server.http).key(header("x-api-key"));
    let stack = |key: &'static str| {
        let service =
            tower::service_fn(async |_: http::Request<http_body_util::Empty<bytes::Bytes>>| {
                Ok::<_, std::convert::Infallible>(http::Response::new(String::new()))
            });
        let request = get(key).body(http_body_util::Empty::new()).unwrap();
        tower::ServiceExt::oneshot(local.layer(remote.layer(service)), request)
    };
    for left in ["2", "1"] {
        let passed = stack("a").await.unwrap();
        assert_eq!(passed.headers()["x-ratelimit-remaining"], left);
        assert_eq!(passed.headers().get_all("x-ratelimit-limit").iter().count(), 1);
    }
    let denied = stack("a").await.unwrap();
    assert_eq!(
        (denied.status().as_u16(), &denied.headers()["x-ratelimit-limit"]),
        (429, &"2".parse().unwrap())
    );
    // The third was never charged there.
    let rest = send(&remote, get("a")).await;
    assert_eq!((rest.status, &rest.headers["x-ratelimit-remaining"]), (200, &"0".parse().unwrap()));
}

/// With the server gone, the host goes on: as the fallback says, and without an error.
// Proves: U4, C6, L2
#[tokio::test(start_paused = true)]
async fn with_the_server_gone_the_fallback_answers() {
    let _still = standstill();
    let desk = Desk::new();
    desk.write("rules.yaml", RULES);
    let server = desk.serve(&["--rules", "rules.yaml"]);
    let layer = |fallback| {
        let client = client("http", server.http).fallback(fallback).build().unwrap();
        TollgateLayer::remote(client).unwrap().key((header("x-api-key"), peer_ip()))
    };
    let (open, closed, local) =
        (layer(Fallback::Open), layer(Fallback::Closed), layer(Fallback::Local));
    assert_eq!(send(&local, get("a")).await.status, 200);
    server.kill();
    for _ in 0..20 {
        assert_eq!(send(&open, get("b")).await.status, 200);
        assert_eq!(send(&closed, get("b")).await.status, 503);
    }
    let call = get("b").header("content-type", "application/grpc");
    let refused = send(&closed, call).await;
    assert_eq!(refused.headers["grpc-status"], "14", "UNAVAILABLE");
    let mut passed = 0;
    for _ in 0..20 {
        passed += usize::from(send(&local, get("a")).await.status == 200);
    }
    assert!((1..=3).contains(&passed), "{passed}");
    assert_eq!(local.counts().unanswered, 0);
}

/// A queue of hours is no queue: who would wait for longer than the layer holds anybody is told to come back.
// Proves: L2, D2
#[tokio::test(start_paused = true)]
async fn a_delay_that_is_too_long_is_a_denial() {
    let _still = standstill();
    let desk = Desk::new();
    desk.write(
        "rules.yaml",
        "version: 1\nrules: [{ name: slow, key: [api_key], \
         limit: { per: 1/h, burst: 5, algorithm: leaky_bucket } }]\n",
    );
    let server = desk.serve(&["--rules", "rules.yaml"]);
    for (scheme, address, key) in [("http", server.http, "a"), ("redis", server.resp, "b")] {
        let layer = remote(scheme, address).key(header("x-api-key"));
        assert_eq!(send(&layer, get(key)).await.status, 200, "{scheme}");
        let denied = send(&layer, get(key)).await;
        assert_eq!(denied.status, 429, "{scheme}: {denied:?}");
        let wait = denied.headers["retry-after"].to_str().unwrap();
        let wait: u64 = wait.parse().unwrap();
        assert!((3_500..=3_600).contains(&wait), "{scheme}: {wait}");
        // In the shadow nobody waits either, and it is told.
        let shadow = send(&layer.shadow(), get(key)).await;
        assert_eq!(
            (shadow.status, &shadow.headers["tollgate-shadow"]),
            (200, &"denied".parse().unwrap())
        );
    }
}

/// Of the requests that come while limits return, one in ten is checked: each is weighed once.
// Proves: U4, L2
#[tokio::test(start_paused = true)]
async fn limits_that_return_check_one_in_ten() {
    let _still = standstill();
    let desk = Desk::new();
    desk.write("rules.yaml", RULES);
    let server = desk.serve(&["--rules", "rules.yaml"]);
    let client = client("http", server.http).clock(ManualClock::start());
    let client = client.build().unwrap();
    let layer = TollgateLayer::remote(client.clone()).unwrap();
    let layer = layer.key(header("x-api-key"));
    client.bypass();
    client.resume();
    for number in 0..100 {
        let got = send(&layer, get(&number.to_string())).await;
        assert_eq!(got.status, 200);
    }
    let status = client.status();
    assert_eq!((status.by_server.allowed, status.bypassed), (10, 90));
}
