//! A change of rules that waits for somebody else.

use serde_json::{Value, json};

use super::house::{Answer, House, Plan, ask};
use crate::{authority::Role, config::Approvals};

/// A house with two admins.
async fn house() -> (House, String, String) {
    let house = House::build(Plan { approvals: Approvals::On, ..Plan::default() }).await;
    let ada = house.token("ada", Role::Admin).await;
    let bob = house.token("bob", Role::Admin).await;
    (house, format!("Bearer {ada}"), format!("Bearer {bob}"))
}

async fn send(house: &House, who: &str, method: &str, path: &str, body: Option<&Value>) -> Answer {
    let headers = [("authorization", who), ("if-match", "*")];
    house.send(ask(method, path, &headers, body)).await
}

fn rule(limit: &str) -> Value {
    json!({ "name": "login", "match": { "endpoint": "/login" }, "key": ["user"], "limit": limit })
}

// Proves: I5
#[tokio::test]
async fn another_admin_has_it_done_just_as_it_was_asked_for() {
    let (house, ada, bob) = house().await;
    let asked =
        send(&house, &ada, "POST", "/ratelimit/rules?reason=logins", Some(&rule("5/min"))).await;
    let proposal = asked.expect(202)["proposal"].clone();
    let one = format!("/ratelimit/proposals/{}", proposal["id"]);
    assert_eq!(asked.header("location"), one);
    assert_eq!((&proposal["author"], &proposal["state"]), (&json!("ada"), &json!("open")));
    assert_eq!(house.head().await, 0, "nothing is changed yet");
    let own = send(&house, &ada, "POST", &format!("{one}/approve"), None).await.expect(403);
    assert_eq!(own["type"], "urn:tollgate:problem:own-proposal");
    let done = send(&house, &bob, "POST", &format!("{one}/approve"), None).await.expect(200);
    assert_eq!(done["proposal"]["settled"]["by"], "bob");
    assert_eq!(done["result"]["name"], "login");
    let history = house.get("/ratelimit/revisions").await.expect(200);
    assert_eq!(history["revisions"][0]["author"], "ada");
    let reason = history["revisions"][0]["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("logins; proposal") && reason.ends_with("approved by bob"),
        "{reason}"
    );
    let twice = send(&house, &bob, "POST", &format!("{one}/approve"), None).await.expect(409);
    assert_eq!(twice["state"], "approved");
}

// Proves: I5
#[tokio::test]
async fn what_waits_can_be_rejected_and_what_is_wrong_does_not_wait() {
    let (house, ada, bob) = house().await;
    send(&house, &ada, "POST", "/ratelimit/rules", Some(&rule("0/min"))).await.expect(422);
    let dry =
        send(&house, &ada, "POST", "/ratelimit/rules?dry_run=true", Some(&rule("5/min"))).await;
    dry.expect(200);
    let tier = json!({ "rank": 9 });
    let asked = send(&house, &ada, "PUT", "/ratelimit/tiers/free", Some(&tier)).await.expect(202);
    let one = format!("/ratelimit/proposals/{}", asked["proposal"]["id"]);
    let all = house.get("/ratelimit/proposals?state=open").await.expect(200);
    assert_eq!(all["proposals"].as_array().unwrap().len(), 1);
    let gone =
        send(&house, &bob, "POST", &format!("{one}/reject?reason=no"), None).await.expect(200);
    assert_eq!(gone["proposal"]["state"], "rejected");
    assert_eq!(gone["proposal"]["settled"]["reason"], "no");
    send(&house, &bob, "POST", &format!("{one}/approve"), None).await.expect(409);
    assert_eq!(house.head().await, 0);
    house.get("/ratelimit/proposals/999").await.expect(404);
    // Everything else happens at once.
    let block = json!({ "user_id": "mallory" });
    send(&house, &ada, "POST", "/ratelimit/blocks", Some(&block)).await.expect(201);
}

/// What was changed meanwhile is in the way, and the proposal waits on.
// Proves: I5
#[tokio::test]
async fn a_conflict_leaves_it_open() {
    let (house, ada, bob) = house().await;
    let first =
        send(&house, &ada, "POST", "/ratelimit/rules", Some(&rule("5/min"))).await.expect(202);
    let second =
        send(&house, &bob, "POST", "/ratelimit/rules", Some(&rule("6/min"))).await.expect(202);
    let approve =
        |asked: &Value| format!("/ratelimit/proposals/{}/approve", asked["proposal"]["id"]);
    send(&house, &bob, "POST", &approve(&first), None).await.expect(200);
    send(&house, &ada, "POST", &approve(&second), None).await.expect(409);
    let one = format!("/ratelimit/proposals/{}", second["proposal"]["id"]);
    assert_eq!(house.get(&one).await.expect(200)["state"], "open");
    let rules = house.get("/ratelimit/rules/login").await.expect(200);
    assert_eq!(rules["limit"], "5/min");
}
