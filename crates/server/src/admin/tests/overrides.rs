//! Overrides.

use serde_json::{Value, json};

use super::house::{House, ask};

async fn ruled(house: &House) {
    let rule = json!({ "name": "login", "key": ["user"], "limit": "2/day" });
    house.post("/ratelimit/rules?wait=30s", &rule).await.expect(201);
}

fn of(user: &str) -> Value {
    json!({ "rule": "login", "key": { "user": user }, "factor": "3x", "reason": "contract 412" })
}

#[tokio::test]
async fn an_override_is_confirmed_by_the_nodes_that_enforce_it() {
    confirmed(House::sqlite().await).await;
}

pub(super) async fn confirmed(house: House) {
    ruled(&house).await;
    let headers = [("tollgate-author", "dana")];
    let request = ask("POST", "/ratelimit/overrides?wait=30s", &headers, Some(&of("alice")));
    let made = house.send(request).await;
    let body = made.expect(201);
    assert_eq!(body["nodes"], json!({ "confirmed": ["gate-1"], "missing": [] }));
    assert_eq!(house.passes("alice", 10), 6);
    assert_eq!(house.passes("bob", 10), 2);

    let at = made.header("location").to_owned();
    let stored = house.get(&at).await.expect(200);
    assert_eq!((&stored["created_by"], &stored["in_force"]), (&json!("dana"), &json!(true)));
    assert_eq!(stored["id"], body["ids"][0]);
    let dry = house.delete(&format!("{at}?dry_run=true"), "*").await.expect(200);
    assert_eq!(dry["changed"], true);
    let gone = house.delete(&format!("{at}?wait=30s"), "*").await.expect(200);
    assert_eq!((&gone["changed"], &gone["nodes"]["missing"]), (&json!(true), &json!([])));
    let again = house.delete(&at, "*").await.expect(200);
    assert_eq!(again["changed"], false);
    assert_eq!(house.get(&at).await.expect(200)["in_force"], false);
    house.delete("/ratelimit/overrides/999", "*").await.expect(404);
    house.get("/ratelimit/overrides/abc").await.expect(404);
}

#[tokio::test]
async fn many_are_written_together_and_listed_in_pages() {
    let house = House::sqlite().await;
    ruled(&house).await;
    let many: Vec<Value> = (0..25).map(|number| of(&format!("user-{number}"))).collect();
    let dry = house.post("/ratelimit/overrides?dry_run=true", &json!(many)).await.expect(200);
    assert_eq!(dry["overrides"].as_array().unwrap().len(), 25);
    assert_eq!(house.get("/ratelimit/overrides").await.json()["overrides"], json!([]));
    let made = house.post("/ratelimit/overrides", &json!(many)).await.expect(201);
    assert_eq!(made["ids"].as_array().unwrap().len(), 25);
    let everyone =
        json!({ "key": { "user": "user-3" }, "unlimited": true, "until": "2099-01-01T00:00:00Z" });
    house.post("/ratelimit/overrides", &everyone).await.expect(201);

    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = house.get(&format!("/ratelimit/overrides?limit=10{cursor}")).await.expect(200);
        seen.extend(page["overrides"].as_array().unwrap().clone());
        let Some(next) = page["next_cursor"].as_str() else {
            break;
        };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(seen.len(), 26);
    for (query, count) in [
        ("user=user-3", 2),
        ("user=user-3&rule=login", 1),
        ("user=nobody", 0),
        ("org=acme", 0),
        ("active=true", 26),
        ("active=false", 0),
        ("rule=other", 0),
    ] {
        let found = house.get(&format!("/ratelimit/overrides?{query}")).await.expect(200);
        assert_eq!(found["overrides"].as_array().unwrap().len(), count, "{query}");
        assert!(found["next_cursor"].is_null(), "{query}");
    }
}

#[tokio::test]
async fn every_error_of_many_is_told_with_its_place() {
    let house = House::sqlite().await;
    ruled(&house).await;
    let text = "[{\"rule\":\"login\",\"key\":{\"user\":\"a\"},\"factor\":\"2x\"},\n {\"ruel\":\"login\",\"key\":{\"user\":\"b\"},\"factor\":\"x\"}]";
    let mut request =
        ask("POST", "/ratelimit/overrides", &[("content-type", "application/json")], None);
    *request.body_mut() = text.into();
    let problem = house.send(request).await.expect(422);
    let errors = problem["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 2, "{errors:#?}");
    let first = &errors[0];
    assert_eq!(
        (&first["path"], &first["line"], &first["column"]),
        (&json!("/1"), &json!(2), &json!(3))
    );
    for wrong in [
        json!({ "rule": "nobody", "key": { "user": "a" }, "factor": "2x" }),
        json!({ "rule": "login", "key": { "org": "a" }, "factor": "2x" }),
        json!({ "rule": "login", "key": { "user": "a" }, "factor": "2x", "until": "2020-01-01T00:00:00Z" }),
    ] {
        house.post("/ratelimit/overrides", &wrong).await.expect(422);
    }
    house.post("/ratelimit/overrides", &json!([])).await.expect(400);
    assert_eq!(house.get("/ratelimit/overrides").await.json()["overrides"], json!([]));
}

/// Premise: it was accepted, listed as in force, and the rule's own limit went on to count.
// Proves: R12
#[tokio::test]
async fn an_override_that_the_algorithm_cannot_hold_is_refused() {
    let house = House::sqlite().await;
    let rule =
        json!({ "name": "log", "key": ["user"], "limit": "600/day", "algorithm": "sliding_log" });
    let made = house.post("/ratelimit/rules?wait=30s", &rule).await;
    made.expect(201);
    for (field, value) in [
        ("factor", json!("2x")),
        ("limit", json!("1001/day")),
        ("limits", json!(["5/s", "5000/day"])),
    ] {
        for rule in [json!("log"), Value::Null] {
            let mut wrong = json!({ "key": { "user": "a" }, (field): value.clone() });
            if !rule.is_null() {
                wrong["rule"] = rule;
            }
            let problem = house.post("/ratelimit/overrides", &wrong).await.expect(422);
            let error = &problem["errors"][0];
            assert!(error.to_string().contains(field), "{problem}");
            let message = error["message"].as_str().unwrap();
            assert!(message.contains("at most 1000"), "{message}");
        }
    }
    let most = json!({ "rule": "log", "key": { "user": "a" }, "limit": "1000/day" });
    house.post("/ratelimit/overrides", &most).await.expect(201);
}

#[tokio::test]
async fn an_address_is_found_in_any_spelling() {
    let house = House::sqlite().await;
    let rule = json!({ "name": "by-ip", "key": ["ip"], "limit": "2/day" });
    house.post("/ratelimit/rules", &rule).await.expect(201);
    let network = json!({ "rule": "by-ip", "key": { "ip": "2001:db8::7" }, "factor": "2x" });
    house.post("/ratelimit/overrides", &network).await.expect(201);
    for (ip, count) in [("2001:DB8::9", 1), ("2001:db8:0:1::1", 0), ("192.0.2.1", 0)] {
        let found = house.get(&format!("/ratelimit/overrides?ip={ip}")).await.expect(200);
        assert_eq!(found["overrides"].as_array().unwrap().len(), count, "{ip}");
    }
}
