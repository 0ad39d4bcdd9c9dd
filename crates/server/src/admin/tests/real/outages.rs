//! A rule database that is away.

use serde_json::json;
use tollgate_testkit::{postgres::Postgres, proxy::Proxy};

use super::super::house::{House, Plan};

#[tokio::test]
async fn without_the_database_decisions_go_on() {
    let database = Postgres::shared().database("admin_outage");
    let proxy = Proxy::to(Postgres::shared().addr());
    let plan =
        Plan { url: Some(database.url_at(proxy.addr()).parse().unwrap()), ..Plan::default() };
    let house = House::build(plan).await;
    let rule = json!({ "name": "login", "key": ["user"], "limit": "3/day" });
    house.post("/ratelimit/rules?wait=30s", &rule).await.expect(201);
    proxy.refuse();
    proxy.cut();
    for (name, answer) in [
        ("list", house.get("/ratelimit/rules").await),
        ("write", house.post("/ratelimit/rules", &json!({ "name": "x", "action": "allow" })).await),
        (
            "override",
            house
                .post("/ratelimit/overrides", &json!({ "key": { "user": "a" }, "unlimited": true }))
                .await,
        ),
        ("nodes", house.get("/ratelimit/nodes").await),
        ("history", house.get("/ratelimit/revisions").await),
    ] {
        let problem = answer.expect(503);
        assert_eq!(problem["type"], "urn:tollgate:problem:database", "{name}");
        assert!(!answer.header("retry-after").is_empty());
    }
    assert_eq!(house.passes("alice", 10), 3);
    house.get("/ratelimit/keys?user_id=alice").await.expect(200);
    house.get("/healthz").await.expect(200);
    house.get("/readyz").await.expect(200);
}
