//! Tokens that are believed: every kind of key, from every source.
// Proves: I1

use serde_json::json;
use tollgate_testkit::jwt::{Signer, jwks};

use super::{
    ask::By,
    rig::{Rig, SECRET},
};

/// A user may once, whoever asks for it and by whatever protocol; another user may as well.
#[track_caller]
fn is_believed(rig: &Rig, signer: &Signer) {
    let token = |user: &str, tier: &str| {
        signer.token(&json!({
            "sub": user, "org": "acme", "tier": tier, "exp": rig.now_s() + 60, "nbf": rig.now_s() - 1,
        }))
    };
    for by in By::ALL {
        let user = format!("{by:?}");
        let (mine, other) = (token(&user, "free"), token(&format!("not {user}"), "premium"));
        let ask = |token: &str, endpoint: &str| {
            let asked = json!({ "token": token, "endpoint": endpoint });
            rig.ask(by, &asked)
        };
        ask(&mine, "/once").decided(200);
        ask(&mine, "/once").decided(429);
        ask(&other, "/once").decided(200);
        ask(&mine, "/premium").decided(200);
        let told = ask(&other, "/premium");
        assert!(told.status == 403 || told.status == 429, "{told:?}");
        assert_eq!(told.reason, None);
    }
    // What the token says of its organisation counts, too.
    let asked = json!({ "token": token("alice", "free"), "endpoint": "/org" });
    rig.ask(By::Check, &asked).decided(200);
    rig.ask(By::Check, &asked).decided(429);
}

#[test]
fn a_secret_verifies_hs256() {
    let flags = [("jwt_algorithms", "HS256"), ("jwt_secret", SECRET)];
    is_believed(&Rig::new(&flags, &[]), &Signer::hs256(SECRET));
    let flags = [("jwt_algorithms", "HS256"), ("jwt_secret_file", "{}/secret")];
    let file = format!("{SECRET}\n");
    is_believed(&Rig::new(&flags, &[("secret", &file)]), &Signer::hs256(SECRET));
}

#[test]
fn a_key_in_pem_verifies_what_it_is_for() {
    for signer in [Signer::rs256("a"), Signer::es256("b"), Signer::eddsa("c")] {
        let flags = [("jwt_algorithms", signer.algorithm()), ("jwt_key_file", "{}/key.pem")];
        is_believed(&Rig::new(&flags, &[("key.pem", &signer.pem())]), &signer);
    }
}

#[test]
fn keys_of_a_jwks_are_found_by_their_names() {
    let signers = [Signer::rs256("a"), Signer::es256("b"), Signer::eddsa("c")];
    let all: Vec<&Signer> = signers.iter().collect();
    for signer in &signers {
        let flags = [("jwt_algorithms", "RS256,ES256,EdDSA"), ("jwt_jwks_file", "{}/jwks.json")];
        is_believed(&Rig::new(&flags, &[("jwks.json", &jwks(&all))]), signer);
    }
}

#[test]
fn without_a_name_the_only_key_that_fits_is_meant() {
    let (one, other) = (Signer::es256("a"), Signer::es256("b"));
    let flags = [("jwt_algorithms", "ES256"), ("jwt_jwks_file", "{}/jwks.json")];
    for (known, wanted) in [(vec![&one], None), (vec![&one, &other], Some("unknown-key"))] {
        let rig = Rig::new(&flags, &[("jwks.json", &jwks(&known))]);
        let claims = json!({ "sub": "alice", "exp": rig.now_s() + 60 });
        let token = one.sign(r#"{"alg":"ES256"}"#, &claims.to_string());
        let told = rig.ask(By::Check, &json!({ "token": token, "endpoint": "/" }));
        assert_eq!(told.reason.as_deref(), wanted, "{told:?}");
    }
}

#[test]
fn claims_may_have_other_names_and_moments_fractions() {
    let flags = [
        ("jwt_algorithms", "HS256"),
        ("jwt_secret", SECRET),
        ("jwt_user_claim", "https://example.com/uid"),
        ("jwt_tier_claim", "plan"),
        ("jwt_leeway", "0s"),
    ];
    let rig = Rig::new(&flags, &[]);
    let signer = Signer::hs256(SECRET);
    let token = signer.token(&json!({
        "https://example.com/uid": "alice", "plan": "premium", "sub": 7, "exp": 4_102_444_800.5_f64,
    }));
    let told = rig.ask(By::Check, &json!({ "token": token, "endpoint": "/premium" }));
    assert_eq!((told.status, told.reason), (403, None));
}
