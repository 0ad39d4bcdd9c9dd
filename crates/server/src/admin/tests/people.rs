//! API keys, quotas, blocks and tokens: their lives, and what is wrong with them.

use serde_json::{Value, json};

use super::house::{House, SOON, ask};

// Proves: I2
#[tokio::test]
async fn a_key_is_issued_and_shown_once() {
    let house = House::sqlite().await;
    let wanted = json!({
        "name": "billing", "user_id": "acme", "org_id": "acme-org", "tier": "free",
        "per_second": 10, "per_day": 1000, "burst": 20, "ttl": "90day",
    });
    let answer = house.post("/ratelimit/api-keys", &wanted).await;
    assert_eq!(answer.header("cache-control"), "no-store");
    let key = answer.expect(201);
    let (id, clear) = (key["id"].as_str().unwrap(), key["key"].as_str().unwrap());
    assert!(id.starts_with('k') && clear.starts_with("tgk_"), "{key}");
    assert_eq!(answer.header("location"), format!("/ratelimit/api-keys/{id}"));
    assert_eq!(key["limits"], json!(["10/s", "1000/day"]));
    assert_eq!(key["burst"], 20);
    let one = format!("/ratelimit/api-keys/{id}");
    let read = house.get(&one).await;
    assert_eq!(read.header("etag"), format!("\"{}\"", key["seq"]));
    let shown = read.expect(200);
    assert!(!read.text.contains(clear) && shown.get("key").is_none(), "{}", read.text);
    assert_eq!(shown["usage"]["total"]["allowed"], 0);
    let listed = house.get("/ratelimit/api-keys?user_id=acme").await.expect(200);
    assert_eq!(listed["api_keys"][0]["id"], id);
    let nobody = house.get("/ratelimit/api-keys?user_id=other").await.expect(200);
    assert_eq!(nobody["api_keys"], json!([]));
}

// Proves: I2
#[tokio::test]
async fn a_key_changes_is_rotated_and_revoked() {
    let house = House::sqlite().await;
    let wanted = json!({ "name": "billing", "user_id": "acme", "org_id": "acme-org" });
    let key = house.post("/ratelimit/api-keys", &wanted).await.expect(201);
    let clear = key["key"].as_str().unwrap();
    let one = format!("/ratelimit/api-keys/{}", key["id"].as_str().unwrap());
    let tag = format!("\"{}\"", key["seq"]);
    let renamed =
        house.put(&one, &tag, &json!({ "name": "billing 2", "org_id": null })).await.expect(200);
    assert_eq!((&renamed["name"], &renamed["org_id"]), (&json!("billing 2"), &Value::Null));
    assert_eq!(renamed["user_id"], "acme", "what is left out stays");
    house.put(&one, &tag, &json!({ "name": "late" })).await.expect(412);

    let rotate = ask("POST", &format!("{one}/rotate?grace=24h"), &[], None);
    let rotated = house.send(rotate).await.expect(200);
    assert_ne!(rotated["key"].as_str().unwrap(), clear);
    assert!(rotated["former_until"].is_string());
    let revoke = house
        .send(ask("POST", &format!("{one}/revoke?reason=leak&wait=30s"), &[], None))
        .await
        .expect(200);
    assert_eq!((&revoke["state"], &revoke["changed"]), (&json!("revoked"), &json!(true)));
    assert_eq!(revoke["nodes"]["confirmed"], json!(["gate-1"]), "it waited for all");
    let again = house.send(ask("DELETE", &one, &[], None)).await.expect(200);
    assert_eq!((&again["state"], &again["changed"]), (&json!("revoked"), &json!(false)));
    house.send(ask("POST", &format!("{one}/rotate"), &[], None)).await.expect(409);
    house.get("/ratelimit/api-keys/k999").await.expect(404);
}

// Proves: I3, I6
#[tokio::test]
async fn a_user_has_a_quota_and_may_be_blocked() {
    let house = House::sqlite().await;
    let one = "/ratelimit/quotas/team%2Falice";
    house.get(one).await.expect(404);
    let made = house
        .send(ask("PUT", one, &[], Some(&json!({ "tier": "premium", "limits": "7/min" }))))
        .await;
    assert_eq!(made.header("location"), one);
    assert_eq!(made.expect(201)["user_id"], "team/alice");
    let read = house.get(one).await.expect(200);
    assert_eq!((&read["tier"], &read["block"]), (&json!("premium"), &Value::Null));
    assert_eq!(read["usage"]["today"], json!({ "allowed": 0, "denied": 0 }));
    let dry = house
        .send(ask("PUT", &format!("{one}?dry_run=true"), &[], Some(&json!({}))))
        .await
        .expect(200);
    assert_eq!(dry["changed"], true);
    assert_eq!(house.get(one).await.expect(200)["tier"], "premium");
    let why = json!({ "reason": "unpaid", "ttl": "24h" });
    let blocked = house.post(&format!("{one}/block?wait=30s"), &why).await.expect(201);
    assert_eq!(blocked["nodes"]["confirmed"], json!(["gate-1"]), "it waited for all");
    assert_eq!(house.get(one).await.expect(200)["block"]["reason"], "unpaid");
    let longer =
        house.post(&format!("{one}/block"), &json!({ "reason": "abuse" })).await.expect(200);
    assert_eq!((&longer["id"], &longer["until"]), (&blocked["id"], &Value::Null));
    let listed = house.get("/ratelimit/blocks?active=true").await.expect(200);
    assert_eq!(listed["blocks"].as_array().unwrap().len(), 1);
    for status in [200, 404] {
        let block = format!("{one}/block");
        let unblocked = house.send(ask("DELETE", &block, &[], None)).await;
        unblocked.expect(status);
    }
    house.send(ask("DELETE", one, &[], None)).await.expect(200);
    house.get(one).await.expect(404);
}

/// What must not be late is waited for without a word. On a machine that stalls one wait may be too short.
// Proves: I2, I5, I6
#[tokio::test]
async fn what_must_not_be_late_is_waited_for() {
    let house = House::sqlite().await;
    let revoke = async |path: &str, wanted: &Value| {
        let made = house.post(path, wanted).await.expect(201);
        let path = format!("{path}/{}/revoke", made["id"].as_str().unwrap());
        house.send(ask("POST", &path, &[], None)).await.expect(200)
    };
    let waited = async {
        for number in 0.. {
            let name = format!("number {number}");
            let key = json!({ "name": name });
            let token = json!({ "name": name, "role": "viewer" });
            let block = json!({ "user_id": name });
            let answers = [
                revoke("/ratelimit/api-keys", &key).await,
                revoke("/ratelimit/tokens", &token).await,
                house.post("/ratelimit/blocks", &block).await.expect(201),
            ];
            let all_know = |answer: &Value| answer["nodes"]["confirmed"] == json!(["gate-1"]);
            if answers.iter().all(all_know) {
                return;
            }
        }
    };
    tokio::time::timeout(SOON, waited).await.unwrap();
}

// Proves: I6
#[tokio::test]
async fn anybody_can_be_blocked_by_one_fact() {
    let house = House::sqlite().await;
    let key = house.post("/ratelimit/api-keys", &json!({ "name": "a" })).await.expect(201);
    for (field, value, stored) in [
        ("user_id", "alice", "alice"),
        ("org_id", "acme", "acme"),
        ("api_key", key["id"].as_str().unwrap(), key["id"].as_str().unwrap()),
        ("ip", "203.0.113.9/24", "203.0.113.0/24"),
    ] {
        let block = house.post("/ratelimit/blocks", &json!({ field: value })).await.expect(201);
        assert_eq!(block[field], stored);
        let one = format!("/ratelimit/blocks/{}", block["id"].as_str().unwrap());
        assert_eq!(house.get(&one).await.expect(200)["in_force"], true);
        let by_fact = house.get(&format!("/ratelimit/blocks?{field}={stored}")).await.expect(200);
        assert_eq!(by_fact["blocks"][0]["id"], block["id"], "{field}");
        house.send(ask("DELETE", &one, &[], None)).await.expect(200);
        house.get(&one).await.expect(404);
    }
}

// Proves: I5
#[tokio::test]
async fn a_token_that_was_revoked_opens_nothing() {
    let house = House::sqlite().await;
    let wanted = json!({ "name": "dana", "role": "operator", "ttl": "1h" });
    let token = house.post("/ratelimit/tokens?wait=30s", &wanted).await.expect(201);
    let bearer = format!("Bearer {}", token["token"].as_str().unwrap());
    let authorized = [("authorization", bearer.as_str())];
    house.send(ask("GET", "/ratelimit/rules", &authorized, None)).await.expect(200);
    let id = token["id"].as_str().unwrap();
    let revoked = house
        .send(ask("POST", &format!("/ratelimit/tokens/{id}/revoke?wait=30s"), &[], None))
        .await
        .expect(200);
    assert_eq!(revoked["nodes"]["missing"], json!([]));
    let refused = house.send(ask("GET", "/ratelimit/rules", &authorized, None)).await.expect(401);
    assert_eq!(refused["reason"], "revoked");
}
