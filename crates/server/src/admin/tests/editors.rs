//! Writing rules: one editor, and two at once.

use serde_json::{Value, json};

use super::house::{House, ask};

fn login(limit: &str) -> Value {
    json!({ "name": "login", "key": ["user"], "limit": limit })
}

#[tokio::test]
async fn a_rule_that_is_written_is_enforced() {
    written_and_enforced(House::sqlite().await).await;
}

pub(super) async fn written_and_enforced(house: House) {
    let request = ask(
        "POST",
        "/ratelimit/rules?wait=30s&reason=stuffing",
        &[("tollgate-author", "dana")],
        Some(&login("3/day")),
    );
    let created = house.send(request).await;
    let body = created.expect(201);
    assert_eq!((&body["revision"], &body["version"]), (&json!(1), &json!(1)));
    assert_eq!((&body["created_by"], &body["changed"]), (&json!("dana"), &json!(true)));
    assert_eq!(body["nodes"], json!({ "confirmed": ["gate-1"], "missing": [] }));
    assert_eq!(created.header("etag"), "\"1\"");
    assert_eq!(created.header("tollgate-revision"), "1");
    let at = created.header("location");
    assert_eq!(at, format!("/ratelimit/rules/{}", body["id"].as_str().unwrap()));

    assert_eq!(house.passes("alice", 10), 3);
    let read = house.get(at).await;
    assert_eq!(read.expect(200)["limit"], "3/day");
    assert_eq!(house.get("/ratelimit/rules/login").await.text, read.text);

    let changed = house.put(at, "\"1\"", &login("5/day")).await.expect(200);
    assert_eq!((&changed["revision"], &changed["version"]), (&json!(2), &json!(2)));
    house.until(2).await;
    assert_eq!(house.passes("alice", 10), 2, "the counter was kept");

    let gone = house.delete(at, "\"2\"").await.expect(200);
    assert_eq!((&gone["revision"], &gone["name"]), (&json!(3), &json!("login")));
    house.until(3).await;
    assert_eq!(house.passes("alice", 10), 10);
    house.get(at).await.expect(404);
    house.delete(at, "*").await.expect(404);
}

#[tokio::test]
async fn of_two_editors_the_second_is_shown_the_difference() {
    two_editors(House::sqlite().await).await;
}

pub(super) async fn two_editors(house: House) {
    let at = "/ratelimit/rules/login";
    house.post("/ratelimit/rules", &login("5/min")).await.expect(201);
    let seen = house.get(at).await.header("etag").to_owned();

    let first =
        ask("PUT", at, &[("if-match", &seen), ("tollgate-author", "erin")], Some(&login("10/min")));
    house.send(first).await.expect(200);
    let second = house.put(at, &seen, &login("20/min")).await;
    let problem = second.expect(412);
    assert_eq!(problem["type"], "urn:tollgate:problem:conflict");
    assert_eq!((&problem["current_version"], &problem["written_by"]), (&json!(2), &json!("erin")));
    let difference = &problem["difference"][0];
    assert_eq!(difference["name"], "login");
    let field = json!({ "field": "limit", "before": "10/min", "after": "20/min" });
    assert_eq!(difference["fields"], json!([field]));
    assert_eq!(house.get(at).await.expect(200)["limit"], "10/min", "nothing was overwritten");

    house.delete(at, &seen).await.expect(412);
    assert_eq!(house.head().await, 2);
    // The same once more, because the answer was lost.
    let again = house.put(at, &seen, &login("10/min")).await.expect(200);
    assert_eq!((&again["revision"], &again["changed"]), (&json!(2), &json!(false)));
}

#[tokio::test]
async fn an_editor_must_say_what_it_saw() {
    let house = House::sqlite().await;
    let at = "/ratelimit/rules/login";
    house.post("/ratelimit/rules", &login("5/min")).await.expect(201);
    for (method, body) in [("PUT", Some(login("6/min"))), ("DELETE", None)] {
        let blind = house.send(ask(method, at, &[], body.as_ref())).await;
        blind.expect(428);
        for foreign in ["W/\"1\"", "\"other\"", "1"] {
            let request = ask(method, at, &[("if-match", foreign)], body.as_ref());
            house.send(request).await.expect(412);
        }
    }
    assert_eq!(house.head().await, 1);
    house.put(at, "*", &login("6/min")).await.expect(200);
    let known = ask("GET", at, &[("if-none-match", "\"2\"")], None);
    assert_eq!(house.send(known).await.status, 304);
    let old = ask("GET", at, &[("if-none-match", "\"1\"")], None);
    house.send(old).await.expect(200);
}

#[tokio::test]
async fn what_is_equal_is_not_written_again() {
    let house = House::sqlite().await;
    let at = "/ratelimit/rules/login";
    house.post("/ratelimit/rules", &login("5/min")).await.expect(201);
    // What a GET gave may be sent back as it is.
    let read = house.get(at).await;
    let same = house.put(at, read.header("etag"), &read.json()).await;
    let body = same.expect(200);
    assert_eq!((&body["revision"], &body["changed"]), (&json!(1), &json!(false)));
    assert_eq!(same.header("etag"), "\"1\"");
    let problem = house.post("/ratelimit/rules", &login("5/min")).await.expect(409);
    assert_eq!(problem["type"], "urn:tollgate:problem:exists");
    assert_eq!(house.head().await, 1);
}

#[tokio::test]
async fn a_renamed_rule_keeps_its_id_and_its_counters() {
    let house = House::sqlite().await;
    let made = house.post("/ratelimit/rules?wait=30s", &login("5/day")).await.expect(201);
    assert_eq!(house.passes("alice", 3), 3);
    let body = json!({ "name": "team/sign-in", "key": ["user"], "limit": "5/day" });
    let renamed = house.put("/ratelimit/rules/login", "\"1\"", &body).await.expect(200);
    assert_eq!((&renamed["id"], &renamed["created_by"]), (&made["id"], &made["created_by"]));
    house.until(2).await;
    assert_eq!(house.passes("alice", 10), 2);
    house.get("/ratelimit/rules/login").await.expect(404);
    let by_name = house.get("/ratelimit/rules/team%2Fsign-in").await.expect(200);
    let by_id = format!("/ratelimit/rules/{}", made["id"].as_str().unwrap());
    assert_eq!(house.get(&by_id).await.expect(200), by_name);

    house.post("/ratelimit/rules", &login("9/day")).await.expect(201);
    let taken = house.put("/ratelimit/rules/login", "*", &body).await.expect(409);
    assert_eq!(taken["type"], "urn:tollgate:problem:exists");
}
