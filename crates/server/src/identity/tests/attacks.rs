//! Tokens that must not be believed, by every protocol.
// Proves: I1, I4

use serde_json::{Value, json};
use tollgate_testkit::jwt::{Signer, attacks, jwks};

use super::{
    ask::By,
    rig::{Rig, SECRET, at},
};

fn sound(rig: &Rig) -> Value {
    json!({
        "sub": "alice",
        "tier": "free",
        "iss": "https://issuer.example",
        "aud": ["tollgate", "billing"],
        "exp": rig.now_s() + 600,
    })
}

/// It pins two algorithms, each with a key of its own.
fn rig(signer: &Signer) -> Rig {
    let flags = [
        ("jwt_algorithms", "RS256,HS256"),
        ("jwt_secret", SECRET),
        ("jwt_jwks_file", "{}/jwks.json"),
        ("jwt_issuer", "https://issuer.example"),
        ("jwt_audience", "tollgate"),
    ];
    Rig::new(&flags, &[("jwks.json", &jwks(&[signer]))])
}

#[test]
fn none_is_believed_and_none_is_counted_for_anybody() {
    let signer = Signer::rs256("2026");
    let rig = rig(&signer);
    let (sound, before) = (sound(&rig), rig.left());
    let all = attacks(&signer, &sound, rig.now_s());
    assert!(all.len() > 30);
    let mut batches = 0;
    for attack in &all {
        for by in By::ALL {
            let told = rig.ask(by, &json!({ "token": attack.token, "endpoint": "/once" }));
            let said = format!("{} by {by:?}: {told:?}", attack.name);
            let is_whole = attack.reason == told.reason.as_deref().unwrap_or_default();
            assert!(told.status == 401 && is_whole, "{said}");
            assert!(!told.text.contains("alice"), "{said}");
            batches += if matches!(by, By::Batch | By::Resp) { 2 } else { 0 };
        }
    }
    // Only the neighbours of those were: in a batch and in a pipeline.
    let before = before.as_u64().unwrap();
    assert_eq!(rig.left().as_u64().unwrap(), before - batches);
    for reason in ["algorithm", "signature", "malformed", "claims", "expired", "too-large"] {
        assert!(rig.refused(reason) >= 6, "{reason}");
    }
    // The token that they were made from is believed by each, and is one user's.
    let good = signer.token(&sound);
    for (place, by) in By::ALL.into_iter().enumerate() {
        let told = rig.ask(by, &json!({ "token": good, "endpoint": "/once" }));
        told.decided(if place == 0 { 200 } else { 429 });
    }
}

#[test]
fn a_token_where_none_is_verified_is_not_ignored() {
    let rig = Rig::plain();
    for by in By::STATING {
        let told = rig.ask(by, &json!({ "token": "a.b.c", "endpoint": "/once" }));
        told.refused(401, "not-configured");
    }
    // A gateway hands on what its client sends to others, too.
    for by in [By::Nginx, By::ForwardAuth] {
        rig.ask(by, &json!({ "token": "a.b.c", "endpoint": "/" })).decided(200);
    }
}

#[test]
fn a_token_is_no_longer_believed_once_it_has_ended_although_it_was_verified() {
    let signer = Signer::rs256("2026");
    let rig = rig(&signer);
    let token = signer.token(&sound(&rig));
    let asked = json!({ "token": token, "endpoint": "/" });
    rig.ask(By::Check, &asked).decided(200);
    rig.ask(By::Check, &asked).decided(200);
    rig.clock.advance(std::time::Duration::from_secs(629));
    rig.ask(By::Check, &asked).decided(200);
    rig.clock.advance(std::time::Duration::from_secs(2));
    rig.ask(By::Check, &asked).refused(401, "expired");
}

/// What shows something wants to be known by it: to be taken for nobody would be a way around what a user may.
#[test]
fn a_gateways_client_that_shows_half_a_token_is_not_nobody() {
    let flags = [("jwt_algorithms", "HS256"), ("jwt_secret", SECRET)];
    let rig = Rig::new(&flags, &[]);
    let asked = json!({ "endpoint": "/nothing" });
    for by in [By::Nginx, By::ForwardAuth] {
        let ask = |line: &str| rig.ask_from(by, &at("127.0.0.1"), line, &asked);
        for shown in ["Bearer", "bearer ", "Bearer\tx", "BEARER x"] {
            ask(&format!("Authorization: {shown}\r\n")).refused(401, "malformed");
        }
        // Another scheme is somebody else's.
        for shown in ["Basic YTpi", "Bear", "Bearers x"] {
            ask(&format!("Authorization: {shown}\r\n")).decided(200);
        }
    }
}
