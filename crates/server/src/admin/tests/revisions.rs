//! The history, exports and rollbacks.

use serde_json::json;
use tollgate_rules::{RuleSet, document};

use super::house::{House, ask};

#[tokio::test]
async fn a_revision_can_be_looked_at_and_brought_back() {
    brought_back(House::sqlite().await).await;
}

pub(super) async fn brought_back(house: House) {
    let login = |limit: &str| json!({ "name": "login", "key": ["user"], "limit": limit });
    house.post("/ratelimit/rules", &login("2/day")).await.expect(201);
    let at = "/ratelimit/rules/login";
    for (number, limit) in [(1, "3/day"), (2, "4/day")] {
        house.put(at, &format!("\"{number}\""), &login(limit)).await.expect(200);
    }
    the_history_tells(&house).await;

    let back = |tag: &str, query: &str| {
        let path = format!("/ratelimit/revisions/1/rollback{query}");
        ask("POST", &path, &[("if-match", tag), ("tollgate-reason", "too generous")], None)
    };
    let blind = ask("POST", "/ratelimit/revisions/1/rollback", &[], None);
    house.send(blind).await.expect(428);
    let late = house.send(back("\"2\"", "")).await.expect(412);
    assert_eq!(late["difference"][0]["fields"][0]["after"], "2/day");
    house.send(back("\"2\"", "?dry_run=true")).await.expect(412);
    let dry = house.send(back("\"3\"", "?dry_run=true")).await.expect(200);
    assert_eq!((&dry["changed"], &dry["revision"]), (&json!(true), &json!(3)));
    assert_eq!(house.head().await, 3);

    let done = house.send(back("\"3\"", "?wait=30s")).await.expect(200);
    assert_eq!((&done["revision"], &done["back_to"]), (&json!(4), &json!(1)));
    assert_eq!(done["nodes"]["missing"], json!([]));
    assert_eq!(house.passes("alice", 10), 2);
    let info = house.get("/ratelimit/revisions/4").await.expect(200);
    assert_eq!((&info["kind"], &info["reason"]), (&json!("rollback"), &json!("too generous")));
    for unknown in
        ["/ratelimit/revisions/99", "/ratelimit/revisions/x", "/ratelimit/revisions/99/rules"]
    {
        house.get(unknown).await.expect(404);
    }
}

async fn the_history_tells(house: &House) {
    let history = house.get("/ratelimit/revisions?limit=2").await;
    let page = history.expect(200);
    assert_eq!(history.header("etag"), "\"3\"");
    assert_eq!(page["revisions"][0]["revision"], 3);
    let next = page["next_cursor"].as_str().unwrap();
    let rest = house.get(&format!("/ratelimit/revisions?limit=2&cursor={next}")).await.expect(200);
    assert_eq!(
        (&rest["revisions"][0]["revision"], &rest["next_cursor"]),
        (&json!(1), &json!(null))
    );

    let second = house.get("/ratelimit/revisions/2").await.expect(200);
    let change = &second["changes"][0];
    assert_eq!(
        (&change["before"]["limit"], &change["after"]["limit"]),
        (&json!("2/day"), &json!("3/day"))
    );
}

#[tokio::test]
async fn an_export_can_be_applied() {
    let house = House::sqlite().await;
    let rule =
        json!({ "name": "login", "match": { "tier": "free" }, "key": ["user"], "limit": "2/day" });
    house.post("/ratelimit/rules", &rule).await.expect(201);
    let set = house.catalog.latest().await.unwrap().set.clone();
    let json = house.get("/ratelimit/revisions/1/rules").await;
    assert_eq!(json.header("content-type"), "application/json");
    assert_eq!(json.text.parse::<RuleSet>().unwrap(), *set);
    let request =
        ask("GET", "/ratelimit/revisions/1/rules", &[("accept", "application/yaml")], None);
    let yaml = house.send(request).await;
    assert_eq!(yaml.header("content-type"), "application/yaml");
    assert_eq!(yaml.text, document::write_yaml(&set));
}
