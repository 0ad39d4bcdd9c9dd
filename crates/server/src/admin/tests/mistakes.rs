//! What is wrong with what people send, told by the name of the field.

use serde_json::{Value, json};

use super::house::{House, ask};

const KEYS: &str = "/ratelimit/api-keys";
const TOKENS: &str = "/ratelimit/tokens";
const BLOCKS: &str = "/ratelimit/blocks";
const QUOTA: &str = "/ratelimit/quotas/alice";

/// Method, path, body, and the field that is named.
type Mistake = (&'static str, &'static str, &'static str, &'static str);

const OF_KEYS: &[Mistake] = &[
    ("POST", KEYS, r#"{}"#, "name"),
    ("POST", KEYS, r#"{"name":""}"#, "name"),
    ("POST", KEYS, r#"{"name":7}"#, "name"),
    ("POST", KEYS, r#"{"name":"a","user_id":""}"#, "user_id"),
    ("POST", KEYS, r#"{"name":"a","tier":"gold"}"#, "tier"),
    ("POST", KEYS, r#"{"name":"a","limits":"0/s"}"#, "limits"),
    ("POST", KEYS, r#"{"name":"a","limits":["10"]}"#, "limits"),
    ("POST", KEYS, r#"{"name":"a","limits":"1/s,2/s"}"#, "limits"),
    ("POST", KEYS, r#"{"name":"a","per_second":0}"#, "per_second"),
    ("POST", KEYS, r#"{"name":"a","per_day":-1}"#, "per_day"),
    ("POST", KEYS, r#"{"name":"a","burst":5}"#, "burst"),
    ("POST", KEYS, r#"{"name":"a","expires_at":"PAST"}"#, "expires_at"),
    ("POST", KEYS, r#"{"name":"a","expires_at":"soon"}"#, "expires_at"),
    ("POST", KEYS, r#"{"name":"a","ttl":"0s"}"#, "ttl"),
    ("POST", KEYS, r#"{"name":"a","ttl":"1h","expires_at":"PAST"}"#, "ttl"),
    ("POST", KEYS, r#"{"name":"a","color":"red"}"#, "color"),
];

const OF_PEOPLE: &[Mistake] = &[
    ("PUT", QUOTA, r#"{"tier":"gold"}"#, "tier"),
    ("PUT", QUOTA, r#"{"limits":"0/min"}"#, "limits"),
    ("PUT", QUOTA, r#"{"user_id":"bob"}"#, "user_id"),
    ("POST", BLOCKS, r#"{}"#, "user_id"),
    ("POST", BLOCKS, r#"{"user_id":""}"#, "user_id"),
    ("POST", BLOCKS, r#"{"user_id":"a","org_id":"b"}"#, "org_id"),
    ("POST", BLOCKS, r#"{"ip":"nowhere"}"#, "ip"),
    ("POST", BLOCKS, r#"{"ip":"0.0.0.0/0"}"#, "ip"),
    ("POST", BLOCKS, r#"{"api_key":"k999"}"#, "api_key"),
    ("POST", BLOCKS, r#"{"api_key":"tgk_malformed"}"#, "api_key"),
    ("POST", BLOCKS, r#"{"user_id":"a","until":"PAST"}"#, "until"),
];

const OF_TOKENS: &[Mistake] = &[
    ("POST", TOKENS, r#"{"role":"admin"}"#, "name"),
    ("POST", TOKENS, r#"{"name":"loopback","role":"admin"}"#, "name"),
    ("POST", TOKENS, r#"{"name":"a"}"#, "role"),
    ("POST", TOKENS, r#"{"name":"a","role":"root"}"#, "role"),
    ("POST", TOKENS, r#"{"name":"a","role":"viewer","scopes":["rules"]}"#, "scopes"),
    ("POST", TOKENS, r#"{"name":"a","role":"viewer","scopes":["all"]}"#, "scopes"),
    ("POST", TOKENS, r#"{"name":"a","role":"viewer","scopes":[]}"#, "scopes"),
    ("POST", TOKENS, r#"{"name":"a","role":"viewer","expires_at":"PAST"}"#, "expires_at"),
];

/// Each wrong value is a clear 4xx that names the field, and nothing is written.
// Proves: I2, I3, I5
#[tokio::test]
async fn what_is_wrong_is_named() {
    let house = House::sqlite().await;
    for (method, path, body, field) in [OF_KEYS, OF_PEOPLE, OF_TOKENS].into_iter().flatten() {
        let body = body.replace("PAST", "2001-01-01T00:00:00Z");
        let sent: Value = serde_json::from_str(&body).unwrap();
        let answer = house.send(ask(method, path, &[], Some(&sent))).await;
        let problem = answer.expect(422);
        let errors = problem["errors"].as_array().unwrap();
        assert_eq!(errors.len(), 1, "{body}: {problem}");
        assert_eq!(errors[0]["path"], *field, "{body}: {problem}");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(field), "{problem}");
        assert!(!answer.text.contains("malformed"), "{}", answer.text);
    }
    for list in [KEYS, TOKENS, BLOCKS, "/ratelimit/quotas"] {
        let nothing = house.get(list).await.expect(200);
        let members = nothing.as_object().unwrap().values();
        let lists: Vec<&Value> = members.filter(|it| it.is_array()).collect();
        assert_eq!(lists, [&json!([])], "{list}");
    }
}

#[tokio::test]
async fn a_parameter_that_is_wrong_is_named_too() {
    let house = House::sqlite().await;
    for (method, path) in [
        ("POST", "/ratelimit/api-keys/k1/rotate?grace=1month"),
        ("GET", "/ratelimit/usage"),
        ("GET", "/ratelimit/usage?user_id=a&api_key=k1"),
        ("GET", "/ratelimit/blocks?ip=nowhere"),
        ("GET", "/ratelimit/api-keys?color=red"),
    ] {
        house.send(ask(method, path, &[], None)).await.expect(400);
    }
}
