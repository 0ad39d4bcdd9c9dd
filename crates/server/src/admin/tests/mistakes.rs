//! What is wrong with what people send, told by the name of the field.

use serde_json::{Value, json};

use super::house::{House, ask};

/// Each wrong value is a clear 4xx that names the field.
// Proves: I2, I3, I5
#[tokio::test]
async fn what_is_wrong_is_named() {
    let house = House::sqlite().await;
    let (keys, tokens, blocks, quota) = (
        "/ratelimit/api-keys",
        "/ratelimit/tokens",
        "/ratelimit/blocks",
        "/ratelimit/quotas/alice",
    );
    let past = "2001-01-01T00:00:00Z";
    for (method, path, body, field) in [
        ("POST", keys, json!({}), "name"),
        ("POST", keys, json!({ "name": "" }), "name"),
        ("POST", keys, json!({ "name": 7 }), "name"),
        (
            "POST",
            keys,
            json!({ "name": "a", "user_id": "" }),
            "user_id",
        ),
        ("POST", keys, json!({ "name": "a", "tier": "gold" }), "tier"),
        (
            "POST",
            keys,
            json!({ "name": "a", "limits": "0/s" }),
            "limits",
        ),
        (
            "POST",
            keys,
            json!({ "name": "a", "limits": ["10"] }),
            "limits",
        ),
        (
            "POST",
            keys,
            json!({ "name": "a", "limits": "1/s, 2/s" }),
            "limits",
        ),
        (
            "POST",
            keys,
            json!({ "name": "a", "per_second": 0 }),
            "per_second",
        ),
        (
            "POST",
            keys,
            json!({ "name": "a", "per_day": -1 }),
            "per_day",
        ),
        ("POST", keys, json!({ "name": "a", "burst": 5 }), "burst"),
        (
            "POST",
            keys,
            json!({ "name": "a", "expires_at": past }),
            "expires_at",
        ),
        (
            "POST",
            keys,
            json!({ "name": "a", "expires_at": "soon" }),
            "expires_at",
        ),
        ("POST", keys, json!({ "name": "a", "ttl": "0s" }), "ttl"),
        (
            "POST",
            keys,
            json!({ "name": "a", "ttl": "1h", "expires_at": past }),
            "ttl",
        ),
        (
            "POST",
            keys,
            json!({ "name": "a", "color": "red" }),
            "color",
        ),
        ("PUT", quota, json!({ "tier": "gold" }), "tier"),
        ("PUT", quota, json!({ "limits": "0/min" }), "limits"),
        ("PUT", quota, json!({ "user_id": "bob" }), "user_id"),
        ("POST", blocks, json!({}), "user_id"),
        ("POST", blocks, json!({ "user_id": "" }), "user_id"),
        (
            "POST",
            blocks,
            json!({ "user_id": "a", "org_id": "b" }),
            "org_id",
        ),
        ("POST", blocks, json!({ "ip": "nowhere" }), "ip"),
        ("POST", blocks, json!({ "ip": "0.0.0.0/0" }), "ip"),
        ("POST", blocks, json!({ "api_key": "k999" }), "api_key"),
        (
            "POST",
            blocks,
            json!({ "api_key": "tgk_malformed" }),
            "api_key",
        ),
        (
            "POST",
            blocks,
            json!({ "user_id": "a", "until": past }),
            "until",
        ),
        ("POST", tokens, json!({ "role": "admin" }), "name"),
        (
            "POST",
            tokens,
            json!({ "name": "loopback", "role": "admin" }),
            "name",
        ),
        ("POST", tokens, json!({ "name": "a" }), "role"),
        (
            "POST",
            tokens,
            json!({ "name": "a", "role": "root" }),
            "role",
        ),
        (
            "POST",
            tokens,
            json!({ "name": "a", "role": "viewer", "scopes": ["rules"] }),
            "scopes",
        ),
        (
            "POST",
            tokens,
            json!({ "name": "a", "role": "viewer", "scopes": ["all"] }),
            "scopes",
        ),
        (
            "POST",
            tokens,
            json!({ "name": "a", "role": "viewer", "scopes": [] }),
            "scopes",
        ),
        (
            "POST",
            tokens,
            json!({ "name": "a", "role": "viewer", "expires_at": past }),
            "expires_at",
        ),
    ] {
        let problem = house
            .send(ask(method, path, &[], Some(&body)))
            .await
            .expect(422);
        let errors = problem["errors"].as_array().unwrap();
        assert_eq!(errors.len(), 1, "{body}: {problem}");
        assert_eq!(errors[0]["path"], field, "{body}: {problem}");
        assert!(
            problem["detail"].as_str().unwrap().contains(field),
            "{problem}"
        );
    }
    for path in [
        "/ratelimit/api-keys/k1/rotate?grace=1month",
        "/ratelimit/usage",
        "/ratelimit/usage?user_id=a&api_key=k1",
    ] {
        let method = if path.contains("rotate") {
            "POST"
        } else {
            "GET"
        };
        house.send(ask(method, path, &[], None)).await.expect(400);
    }
    for list in [keys, tokens, blocks, "/ratelimit/quotas"] {
        let nothing = house.get(list).await.expect(200);
        let lists: Vec<&Value> = nothing
            .as_object()
            .unwrap()
            .values()
            .filter(|it| it.is_array())
            .collect();
        assert_eq!(lists, [&json!([])], "{list}");
    }
}
