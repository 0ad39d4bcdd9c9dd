//! What somebody with less than all permissions, or with a secret in the wrong place, does not get.

use serde_json::{Value, json};
use tollgate_catalog::AuditListing;

use super::house::{Answer, House, ask};
use crate::{
    authority::Role,
    identity::secret::{Kind, Secret},
};

const OVERRIDES: &str = "/ratelimit/overrides";

async fn ruled() -> House {
    let house = House::sqlite().await;
    let rule = json!({ "name": "login", "key": ["user"], "limit": "10/min" });
    house.post("/ratelimit/rules?wait=30s", &rule).await.expect(201);
    house
}

async fn send(
    house: &House,
    token: &str,
    method: &str,
    path: &str,
    body: Option<&Value>,
) -> Answer {
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str())];
    house.send(ask(method, path, &headers, body)).await
}

fn raise(user: &str, factor: &str, until: Option<&str>) -> Value {
    let mut wanted = json!({ "rule": "login", "key": { "user": user }, "factor": factor });
    if let Some(until) = until {
        wanted["until"] = json!(until);
    }
    wanted
}

/// A moment that is always within the bounds of an exception for a while.
fn soon() -> String {
    let moment = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(24);
    moment.to_string()
}

// Proves: I5, R12
#[tokio::test]
async fn what_an_admin_decided_stands() {
    let house = ruled().await;
    let (soon, bot) = (soon(), house.token("bot", Role::Automation).await);
    let of_bot = async |user: &str| {
        let wanted = raise(user, "10x", Some(&soon));
        send(&house, &bot, "POST", OVERRIDES, Some(&wanted)).await
    };
    let of_admin = async |user: &str, until: Option<&str>| {
        let made = house.post(OVERRIDES, &raise(user, "0.1x", until)).await;
        made.expect(201)["ids"][0].clone()
    };
    for (user, until) in [("abuser", None), ("noisy", Some(soon.as_str()))] {
        let id = of_admin(user, until).await;
        let refused = of_bot(user).await.expect(403);
        assert_eq!(refused["type"], "urn:tollgate:problem:override-in-force");
        let detail = refused["detail"].as_str().unwrap();
        assert!(detail.contains(&format!("override {id} ")), "{detail}");
        let one = format!("{OVERRIDES}/{id}");
        send(&house, &bot, "DELETE", &one, None).await.expect(403);
        let end = ask("DELETE", &one, &[], None);
        house.send(end).await.expect(200);
        // Once it has ended nothing is in the way, and its own is its own to end and to replace.
        let own = of_bot(user).await.expect(201)["ids"][0].clone();
        of_bot(user).await.expect(201);
        let one = format!("{OVERRIDES}/{own}");
        send(&house, &bot, "DELETE", &one, None).await.expect(200);
    }
    of_bot("somebody else").await.expect(201);
    let all = json!({ "key": { "user": "everywhere" }, "factor": "0.5x" });
    house.post(OVERRIDES, &all).await.expect(201);
    of_bot("everywhere").await.expect(403);
}

// Proves: I2, O2
#[tokio::test]
async fn a_secret_in_clear_is_stored_nowhere() {
    let house = ruled().await;
    for secret in [Kind::ApiKey, Kind::Token].map(Secret::generate) {
        let secret = secret.as_str();
        let override_of = raise(secret, "2x", None);
        let rule = json!({ "name": "r", "match": { "attributes.a": secret }, "key": ["user"], "limit": "1/s" });
        let named = json!({ "name": format!("key {secret}"), "user_id": "acme" });
        let plain = json!({ "user_id": "acme" });
        let quota = json!({ "tier": "free" });
        let facts = json!({ "api_key": secret });
        let keys = format!("/ratelimit/keys?api_key={secret}");
        let quotas = format!("/ratelimit/quotas/{secret}");
        let reason = format!("/ratelimit/blocks?reason=it+was+{secret}");
        for (method, path, body) in [
            ("POST", OVERRIDES, Some(&override_of)),
            ("POST", "/ratelimit/rules", Some(&rule)),
            ("POST", "/ratelimit/api-keys", Some(&named)),
            ("POST", "/ratelimit/explain", Some(&facts)),
            ("PUT", &quotas, Some(&quota)),
            ("GET", &keys, None),
            ("POST", &reason, Some(&plain)),
        ] {
            let answer = house.send(ask(method, path, &[], body)).await;
            let problem = answer.expect(422);
            assert_eq!(problem["type"], "urn:tollgate:problem:secret-in-clear");
            assert!(!answer.text.contains(secret), "{path}");
        }
        for name in ["tollgate-reason", "tollgate-author", "x-request-id"] {
            let request = ask("POST", "/ratelimit/blocks", &[(name, secret)], Some(&plain));
            let answer = house.send(request).await;
            answer.expect(422);
            let told = format!("{} {:?}", answer.text, answer.headers);
            assert!(!told.contains(secret), "{told}");
        }
        house.authority.record().write(&house.catalog).await;
        let rows = house.catalog.audit(&AuditListing::default()).await.unwrap();
        assert!(!format!("{rows:?}").contains(secret));
    }
    // What only begins like one is none.
    let name = json!({ "name": "tgk_ or tgt_", "user_id": "acme" });
    house.post("/ratelimit/api-keys", &name).await.expect(201);
}

// Proves: O2
#[tokio::test]
async fn a_flood_of_refusals_is_one_row_and_a_reset_is_another() {
    let house = ruled().await;
    for number in 0..300 {
        let path = format!("/a{number}");
        let headers = [("authorization", "Bearer wrong")];
        house.send(ask("GET", &path, &headers, None)).await.expect(401);
    }
    let reset = ask("DELETE", "/ratelimit/keys?user_id=alice", &[], None);
    house.send(reset).await.expect(200);
    house.authority.record().write(&house.catalog).await;
    let rows = house.catalog.audit(&AuditListing::default()).await.unwrap();
    let told = |action: &str| {
        let mut rows = rows.iter().filter(|row| &*row.noted.action == action);
        let row = rows.next().unwrap();
        (rows.count(), row.noted.times, &*row.noted.object.1)
    };
    assert_eq!(told("unknown"), (0, 300, "unknown"));
    assert_eq!(told("counter.reset").0, 0);
}

// Proves: I2, R10
#[tokio::test]
async fn a_key_is_looked_at_with_its_own_limits_and_whose_it_is() {
    let house = ruled().await;
    let wanted = json!({ "name": "billing", "user_id": "acme", "tier": "free", "per_day": 7 });
    let key = house.post("/ratelimit/api-keys?wait=30s", &wanted).await.expect(201);
    let id = key["id"].as_str().unwrap();
    let path = format!("/ratelimit/keys?api_key={id}");
    for method in ["GET", "DELETE"] {
        let seen = house.send(ask(method, &path, &[], None)).await.expect(200);
        let counters = seen["counters"].as_array().unwrap();
        let rules: Vec<&str> = counters.iter().map(|it| it["rule"].as_str().unwrap()).collect();
        let own = format!("api-key:{id}");
        assert!(rules.contains(&own.as_str()), "{rules:?}");
        assert!(rules.contains(&"login"), "by the key's user: {rules:?}");
    }
    let facts = json!({ "api_key": id });
    let told = house.post("/ratelimit/explain", &facts).await;
    told.expect(200);
    assert!(told.text.contains(&format!("api-key:{id}")), "{}", told.text);
}

// Proves: I3
#[tokio::test]
async fn a_tier_that_somebody_has_stays() {
    let house = House::sqlite().await;
    let gold = "/ratelimit/tiers/gold";
    let body = json!({ "rank": 3, "default": "3/day" });
    let new = ask("PUT", gold, &[("if-none-match", "*")], Some(&body));
    house.send(new).await.expect(201);
    let quota = json!({ "tier": "gold" });
    let put = ask("PUT", "/ratelimit/quotas/acme", &[], Some(&quota));
    house.send(put).await.expect(201);
    let key = json!({ "name": "billing", "user_id": "acme", "tier": "gold" });
    house.post("/ratelimit/api-keys", &key).await.expect(201);
    let refused = house.delete(gold, "*").await.expect(422);
    assert_eq!((&refused["api_keys"], &refused["quotas"]), (&json!(1), &json!(1)));
    house.delete(&format!("{gold}?force=true"), "*").await.expect(200);
}
