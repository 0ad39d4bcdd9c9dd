//! What is not written: dry runs, and rules that are not sound.

use serde_json::{Value, json};

use super::house::{House, ask};

fn login(limit: &str) -> Value {
    json!({ "name": "login", "key": ["user"], "limit": limit })
}

#[tokio::test]
async fn a_dry_run_checks_everything_and_writes_nothing() {
    let house = House::sqlite().await;
    house.post("/ratelimit/rules", &login("5/min")).await.expect(201);
    let fresh = json!({ "name": "search", "key": ["user"], "limit": "1/s" });
    let dry = house.post("/ratelimit/rules?dry_run=true", &fresh).await.expect(200);
    assert_eq!((&dry["dry_run"], &dry["revision"]), (&json!(true), &json!(1)));
    assert_eq!(dry["differences"][0]["kind"], "added");

    let at = "/ratelimit/rules/login?dry_run=true";
    let dry = house.put(at, "\"1\"", &login("6/min")).await.expect(200);
    assert_eq!(dry["differences"][0]["text"], "login: 5/min → 6/min; counters kept");
    house.put(at, "\"0\"", &login("6/min")).await.expect(412);
    house.delete(at, "*").await.expect(200);
    house.post("/ratelimit/rules?dry_run=true", &login("1/s")).await.expect(409);
    let unsound = json!({ "name": "x", "match": { "tier": "gold" }, "key": [], "limit": "1/s" });
    house.post("/ratelimit/rules?dry_run=true", &unsound).await.expect(422);
    assert_eq!(house.head().await, 1);
    house.get("/ratelimit/rules/search").await.expect(404);
}

#[tokio::test]
async fn every_error_of_a_rule_is_told_with_its_place() {
    let house = House::sqlite().await;
    let text = "{\n  \"version\": 3, \"name\": \"login\",\n  \"kye\": [\"user\"],\n  \"limit\": \"5/minn\"\n}";
    let mut request = ask(
        "POST",
        "/ratelimit/rules",
        &[("content-type", "application/json; charset=utf-8")],
        None,
    );
    *request.body_mut() = text.into();
    let problem = house.send(request).await.expect(422);
    let errors = problem["errors"].as_array().unwrap();
    let places: Vec<(u64, u64)> = errors
        .iter()
        .map(|error| (error["line"].as_u64().unwrap(), error["column"].as_u64().unwrap()))
        .collect();
    assert!(places.contains(&(3, 3)) && places.contains(&(4, 12)), "{errors:#?}");
    assert!(
        errors
            .iter()
            .any(|error| { error["help"].as_str().is_some_and(|help| help.contains("key")) })
    );

    for (text, status) in [
        ("{\"name\":", 400),
        ("", 400),
        ("name: login", 400),
        ("[]", 422),
        ("{\"name\":\"a\",\"name\":\"b\",\"version\":1,\"key\":[],\"limit\":\"1/s\"}", 422),
        (
            "{\"name\":\"a\",\"key\":[],\"limit\":\"1/s\",\"id\":\"00000000-0000-0000-0000-000000000001\"}",
            422,
        ),
    ] {
        let mut request =
            ask("POST", "/ratelimit/rules", &[("content-type", "application/json")], None);
        *request.body_mut() = text.to_owned().into();
        house.send(request).await.expect(status);
    }
    assert_eq!(house.head().await, 0);
}
