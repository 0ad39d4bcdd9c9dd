//! In axum.

use std::net::SocketAddr;

use ::axum::{Extension, Router, routing};
use http_body_util::Empty;
use tollgate::{Gate, rules::RuleSet};
use tollgate_tower::{Key as _, Outcome, TollgateLayer, path_param};

use super::{Reply, ask, axum_service, beside, get, listener, number};

async fn search(address: SocketAddr, key: Option<&str>) -> Reply {
    let mut request = get(address, "/search");
    if let Some(key) = key {
        request = request.header("x-api-key", key);
    }
    ask(request.body(Empty::new()).unwrap()).await
}

// Proves: L2, S5
#[tokio::test]
async fn the_example_limits_by_key_and_by_address() {
    let (listener, address) = listener().await;
    beside(axum_service::serve(listener), async {
        for left in (0..5).rev() {
            let reply = search(address, Some("k1")).await;
            assert_eq!(reply.status(), 200);
            assert_eq!(number(&reply, "x-ratelimit-limit"), 5);
            assert_eq!(number(&reply, "x-ratelimit-remaining"), left);
            assert_eq!(reply.body(), &format!("found, {left} searches left\n"));
        }
        let denied = search(address, Some("k1")).await;
        assert_eq!(denied.status(), 429);
        assert!((1..=2 * 3_600).contains(&number(&denied, "retry-after")));
        assert_eq!(denied.headers()["content-type"], "application/problem+json");
        let length = usize::try_from(number(&denied, "content-length")).unwrap();
        assert_eq!(length, denied.body().len());
        let problem: serde_json::Value = serde_json::from_slice(denied.body()).unwrap();
        assert_eq!(problem["violated-policies"][0], "default", "{problem}");
        // Another key is another client, and so is an address without one.
        assert_eq!(search(address, Some("k2")).await.status(), 200);
        assert_eq!(search(address, None).await.status(), 200);
        // A key that reads as the address is not counted as that.
        for _ in 0..5 {
            assert_eq!(search(address, Some("127.0.0.1")).await.status(), 200);
        }
        assert_eq!(search(address, None).await.status(), 200);
    })
    .await;
}

/// Within `nest` a router sees half of the path; rules see all of it.
// Proves: L2
#[tokio::test]
async fn nested_routers_are_limited_by_the_whole_path() {
    let rules = "version: 1\nrules:\n  - { name: posts, match: { endpoint: /api/users/*/posts }, \
                 key: [attributes.id], limit: 1/day }\n";
    let rules: RuleSet = rules.parse().unwrap();
    let gate = std::sync::Arc::new(Gate::in_memory(&rules));
    let id = path_param("/api/users/{id}/**", "id").unwrap();
    let layer = TollgateLayer::embedded(gate).unwrap().key(id.or(tollgate_tower::peer_ip()));
    let rule = async |Extension(outcome): Extension<Outcome>| outcome.rule().unwrap().to_owned();
    let inner = Router::new().route("/users/{id}/posts", routing::get(rule)).layer(layer);
    let app = Router::new().nest("/api", inner);
    let (listener, address) = listener().await;
    let server = async { Ok(::axum::serve(listener, app).await?) };
    beside(server, async {
        let posts = async |path: &str| ask(get(address, path).body(Empty::new()).unwrap()).await;
        let first = posts("/api/users/ann/posts").await;
        assert_eq!((first.status().as_u16(), &first.body()[..]), (200, &b"posts"[..]));
        assert_eq!(posts("/api/users/%61nn/posts").await.status(), 429);
        assert_eq!(posts("/api/users/bob/posts").await.status(), 200);
    })
    .await;
}
