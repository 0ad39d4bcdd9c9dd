//! Two sources that say different things.
// Proves: I4

use serde_json::{Value, json};
use tollgate_testkit::jwt::Signer;

use super::{
    ask::By,
    rig::{Rig, SECRET},
};

fn rig() -> (Rig, Signer) {
    let flags = [("jwt_algorithms", "HS256"), ("jwt_secret", SECRET)];
    (Rig::new(&flags, &[]), Signer::hs256(SECRET))
}

fn token(rig: &Rig, signer: &Signer, claims: &Value) -> String {
    let mut claims = claims.clone();
    claims["exp"] = json!(rig.now_s() + 60);
    signer.token(&claims)
}

#[test]
fn each_pair_of_sources_is_told_with_the_fact() {
    let (rig, signer) = rig();
    let key = rig.issue("k1", |key| {
        key.user = Some("bob".into());
        key.org = Some("acme".into());
        key.tier = Some("free".into());
    });
    let alice = token(&rig, &signer, &json!({ "sub": "alice" }));
    let other_org = json!({ "sub": "bob", "org": "umbrella" });
    let other_org = token(&rig, &signer, &other_org);
    let other_tier = json!({ "sub": "bob", "tier": "premium" });
    let other_tier = token(&rig, &signer, &other_tier);
    let [token, stated, key_shown] = ["the token", "the request", "the API key"];
    let by_token = |token: &str, name: &str, value: &str| json!({ "token": token, name: value });
    let by_key = |name: &str, value: &str| json!({ "api_key": key, name: value });
    for (asked, fact, one, other) in [
        (by_token(&alice, "user_id", "carol"), "user_id", token, stated),
        (by_token(&other_org, "org_id", "acme"), "org_id", token, stated),
        (by_token(&other_tier, "tier", "free"), "tier", token, stated),
        (by_token(&alice, "api_key", &key), "user_id", token, key_shown),
        (by_token(&other_org, "api_key", &key), "org_id", token, key_shown),
        (by_token(&other_tier, "api_key", &key), "tier", token, key_shown),
        (by_key("user_id", "carol"), "user_id", key_shown, stated),
        (by_key("org_id", "umbrella"), "org_id", key_shown, stated),
        (by_key("tier", "premium"), "tier", key_shown, stated),
    ] {
        let by_gateways = asked.get("token").is_some() && asked.get("api_key").is_some();
        let ways = if by_gateways { By::ALL.as_slice() } else { &By::STATING };
        for by in ways {
            let told = rig.ask(*by, &asked);
            told.refused(400, "contradiction");
            let words = format!("`{fact}` is one thing by {one} and another by {other}");
            assert!(told.text.contains(&words), "{by:?}: {told:?}");
        }
    }
}

#[test]
fn sources_that_agree_or_say_nothing_go_together() {
    let (rig, signer) = rig();
    let key = rig.issue("k1", |key| {
        key.user = Some("bob".into());
        key.tier = Some("premium".into());
    });
    let bob = token(&rig, &signer, &json!({ "sub": "bob", "org": "acme" }));
    for by in By::STATING {
        let asked = json!({
            "token": bob, "api_key": key, "user_id": " bob ", "org_id": "acme", "tier": "premium", "endpoint": "/",
        });
        rig.ask(by, &asked).decided(200);
        // Each adds what the other does not say.
        let told = rig.ask(by, &json!({ "token": bob, "api_key": key, "endpoint": "/premium" }));
        assert!(told.status == 403 || told.status == 429, "{told:?}");
        assert_eq!(told.reason, None);
    }
}
