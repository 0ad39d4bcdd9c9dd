//! Counters by the facts of a request.

use serde_json::json;

use super::house::{House, ask};

#[tokio::test]
async fn a_counter_is_looked_at_and_made_fresh() {
    let house = House::sqlite().await;
    for (name, key, limit) in
        [("per-user", "user", "5/day"), ("per-plan", "attributes.plan", "100/h")]
    {
        let rule = json!({ "name": name, "key": [key], "limit": limit });
        house.post("/ratelimit/rules?wait=30s", &rule).await.expect(201);
    }
    assert_eq!(house.passes("alice", 7), 5);
    let keys = "/ratelimit/keys?user_id=alice&attributes.plan=trial";
    let seen = house.get(keys).await.expect(200);
    assert_eq!((&seen["allowed"], &seen["rule"]), (&json!(false), &json!("per-user")));
    let counters = seen["counters"].as_array().unwrap();
    assert_eq!(counters.len(), 2);
    let ours = counters.iter().find(|counter| counter["rule"] == "per-user").unwrap();
    assert_eq!(
        (&ours["limit"], &ours["remaining"], &ours["window_s"]),
        (&json!(5), &json!(0), &json!(86_400))
    );
    assert_eq!(
        house.get(keys).await.expect(200)["counters"][0]["limit"],
        seen["counters"][0]["limit"]
    );
    assert!(seen["consistency"].as_str().unwrap().contains("this node"));

    let one = house.get("/ratelimit/keys?user_id=alice&attributes[plan]=trial&rule=per-plan").await;
    assert_eq!(one.expect(200)["counters"].as_array().unwrap().len(), 1);
    let reset = ask("DELETE", "/ratelimit/keys?user_id=alice&rule=per-user", &[], None);
    assert_eq!(house.send(reset).await.expect(200)["allowed"], true);
    assert_eq!(house.passes("alice", 7), 5);

    house.get("/ratelimit/keys").await.expect(400);
    house.get("/ratelimit/keys?ip=nowhere").await.expect(400);
    house.get("/ratelimit/keys?user_id=alice&rule=nobody").await.expect(404);
    house.get("/ratelimit/keys?user=alice").await.expect(400);
}

#[tokio::test]
async fn a_request_is_explained() {
    let house = House::sqlite().await;
    let rule = json!({ "name": "login", "match": { "endpoint": "/login" }, "key": ["user"], "limit": "5/day" });
    house.post("/ratelimit/rules?wait=30s", &rule).await.expect(201);
    let facts = json!({ "user_id": "alice", "endpoint": "/login", "attributes": { "plan": "trial" }, "cost": 2 });
    let story = house.post("/ratelimit/explain", &facts).await.expect(200);
    assert_eq!((&story["revision"], &story["rules"][0]["fate"]), (&json!(1), &json!("applied")));
    assert!(story["consistency"].as_str().unwrap().contains("this node"));
    let told = house.post("/ratelimit/explain", &json!({ "user": "alice" })).await.expect(400);
    assert!(told["detail"].as_str().unwrap().contains("user_id"), "{told}");
    house.post("/ratelimit/explain", &json!({})).await.expect(400);
    house
        .post("/ratelimit/explain", &json!({ "user_id": "a", "scope": "galaxy" }))
        .await
        .expect(400);
    let keys = house.get("/ratelimit/keys?user_id=alice&endpoint=/login").await.expect(200);
    assert_eq!(keys["counters"][0]["remaining"], 5, "nothing was charged");
}

#[tokio::test]
async fn a_node_tells_how_it_is() {
    let house = House::sqlite().await;
    assert_eq!(house.get("/healthz").await.expect(200), json!({ "status": "ok" }));
    let ready = house.get("/readyz").await.expect(200);
    assert_eq!((&ready["ready"], &ready["revision"]), (&json!(true), &json!(0)));
    let metrics = house.get("/metrics").await;
    assert!(metrics.header("content-type").starts_with("application/openmetrics-text"));
    assert!(metrics.text.ends_with("# EOF\n"));
    let nodes = house.get("/ratelimit/nodes").await.expect(200);
    assert_eq!(
        (&nodes["nodes"][0]["id"], &nodes["nodes"][0]["this"]),
        (&json!("gate-1"), &json!(true))
    );
    house.get("/ratelimit/keys/top?limit=2").await.expect(200);
    let index = house.get("/").await.expect(200);
    let paths = index["paths"].as_array().unwrap();
    assert!(paths.iter().any(|path| path["path"] == "/ratelimit/rules/{id}"));
}

#[tokio::test]
async fn counters_in_memory_need_no_trust() {
    let house = House::sqlite().await;
    let problem = house.post("/ratelimit/redis/trust", &json!({})).await;
    let detail = problem.expect(409)["detail"].to_string();
    assert!(detail.contains("memory of this node"), "{detail}");
}
