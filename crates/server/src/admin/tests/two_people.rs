//! Two people have to have seen a change of rules: one person who comes twice is one person.

use serde_json::{Value, json};

use super::house::{Answer, House, Plan, ask};
use crate::{
    authority::{Authority, Role, Token},
    config::Approvals,
};

pub(super) const RULES: &str = "/ratelimit/rules";

pub(super) fn rule() -> Value {
    json!({ "name": "login", "match": { "endpoint": "/login" }, "key": ["user"], "limit": "5/min" })
}

pub(super) async fn post(house: &House, token: &str, path: &str, body: Option<&Value>) -> Answer {
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str())];
    house.send(ask("POST", path, &headers, body)).await
}

/// A token that somebody issues over the API.
async fn issue(house: &House, token: &str, name: &str) -> String {
    let wanted = json!({ "name": name, "role": "admin" });
    let issued = post(house, token, "/ratelimit/tokens?wait=30s", Some(&wanted)).await;
    issued.expect(201)["token"].as_str().unwrap().to_owned()
}

// Proves: I5
#[tokio::test]
async fn one_person_is_not_two() {
    let shared = "a-token-that-several-people-have";
    let house = House::build(Plan {
        authority: Authority::new(Token::new(shared)),
        approvals: Approvals::On,
        ..Plan::default()
    })
    .await;
    let ada = house.token("ada", Role::Admin).await;
    let bob = house.token("bob", Role::Admin).await;
    let first = house.token("first-start", Role::Admin).await;
    let refused = async |token: &str, path: &str, body: Option<&Value>, kind: &str| {
        let problem = post(&house, token, path, body).await.expect(403);
        assert_eq!(problem["type"], format!("urn:tollgate:problem:{kind}"));
    };
    // Whoever asks with what others have, too, could approve under their own name.
    refused(shared, RULES, Some(&rule()), "not-personal").await;
    refused(&first, RULES, Some(&rule()), "not-personal").await;
    let asked = post(&house, &ada, RULES, Some(&rule())).await.expect(202);
    let approve = format!("/ratelimit/proposals/{}/approve", asked["proposal"]["id"]);
    refused(&ada, &approve, None, "own-proposal").await;
    refused(shared, &approve, None, "not-personal").await;
    refused(&first, &approve, None, "not-personal").await;
    let second = issue(&house, &ada, "ada's other").await;
    refused(&second, &approve, None, "issued-by-proposer").await;
    let late = issue(&house, shared, "carol").await;
    refused(&late, &approve, None, "issued-too-late").await;
    assert_eq!(house.head().await, 0, "nothing was changed");
    post(&house, &bob, &approve, None).await.expect(200);
    assert_eq!(house.head().await, 1);
}

/// On this machine without a token anybody is `loopback`.
// Proves: I5
#[tokio::test]
async fn nobody_in_particular_approves_nothing() {
    let house = House::build(Plan { approvals: Approvals::On, ..Plan::default() }).await;
    let ada = house.token("ada", Role::Admin).await;
    let asked = post(&house, &ada, RULES, Some(&rule())).await.expect(202);
    let one = format!("/ratelimit/proposals/{}", asked["proposal"]["id"]);
    let approve = ask("POST", &format!("{one}/approve"), &[], None);
    let problem = house.send(approve).await.expect(403);
    assert_eq!(problem["type"], "urn:tollgate:problem:not-personal");
    assert_eq!(house.get(&one).await.expect(200)["state"], "open");
}

// Proves: I5
#[tokio::test]
async fn nobody_gives_away_more_than_they_have() {
    let house = House::sqlite().await;
    let wanted = json!({ "name": "minter", "role": "admin", "scopes": ["tokens", "read"] });
    let minter = house.post("/ratelimit/tokens?wait=30s", &wanted).await.expect(201);
    let minter = minter["token"].as_str().unwrap();
    for (body, status) in [
        (json!({ "role": "admin" }), 403),
        (json!({ "role": "operator" }), 403),
        (json!({ "role": "automation" }), 403),
        (json!({ "role": "admin", "scopes": ["rules"] }), 403),
        (json!({ "role": "viewer" }), 201),
        (json!({ "role": "admin", "scopes": ["tokens"] }), 201),
        (json!({ "role": "operator", "scopes": ["read-overrides"] }), 201),
    ] {
        let mut body = body;
        body["name"] = json!(format!("of {body}"));
        let answer = post(&house, minter, "/ratelimit/tokens", Some(&body)).await;
        assert_eq!(answer.status, status, "{body}: {}", answer.text);
    }
}

// Proves: I5, O2
#[tokio::test]
async fn a_name_stands_for_one() {
    let house = House::sqlite().await;
    let create = async |name: &str| {
        let wanted = json!({ "name": name, "role": "viewer" });
        house.post("/ratelimit/tokens", &wanted).await
    };
    for taken in ["server", "first-start", "loopback", "Token", "admin-api"] {
        create(taken).await.expect(422);
    }
    let dana = create("dana").await.expect(201);
    let twice = create("Dana").await.expect(409);
    assert_eq!(twice["type"], "urn:tollgate:problem:name-taken");
    let one = format!("/ratelimit/tokens/{}", dana["id"].as_str().unwrap());
    house.send(ask("DELETE", &one, &[], None)).await.expect(200);
    create("dana").await.expect(201);
}

/// Somebody meant to show something: they are not taken for nobody.
// Proves: I5
#[tokio::test]
async fn what_is_no_token_is_a_wrong_one() {
    let house = House::sqlite().await;
    for shown in ["Bearer", "Bearer ", "Basic YTpi", "tgt_1", ""] {
        let headers = [("authorization", shown)];
        let answer = house.send(ask("GET", RULES, &headers, None)).await;
        assert_eq!(answer.expect(401)["reason"], "wrong", "{shown:?}");
    }
    let twice = [("authorization", "Bearer a"), ("authorization", "Bearer b")];
    house.send(ask("GET", RULES, &twice, None)).await.expect(401);
    house.get(RULES).await.expect(200);
}
