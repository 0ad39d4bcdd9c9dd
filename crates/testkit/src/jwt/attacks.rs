//! Tokens that must not be believed.

use serde_json::{Value, json};

use super::{Signer, base64url};

/// A token that must not be believed.
#[derive(Clone, Debug)]
pub struct Attack {
    /// What is wrong with it.
    pub name: &'static str,
    /// The token.
    pub token: String,
    /// The class of the reason.
    pub reason: &'static str,
}

/// Tokens that a server must not believe which pins RS256 and HS256, knows the RSA key of `signer` by a JWKS
/// and a secret that is not told here, and wants `iss` and `aud` as these sound claims have them.
pub fn attacks(signer: &Signer, sound: &Value, now_s: u64) -> Vec<Attack> {
    let mut attacks = misnamed(signer, sound);
    attacks.extend(forged(signer, sound));
    attacks.extend(stale(signer, sound, now_s));
    attacks
}

/// Whose header says what is not so.
fn misnamed(signer: &Signer, sound: &Value) -> Vec<Attack> {
    let claims = sound.to_string();
    let kid = &signer.kid;
    let head = |alg: &str| json!({ "typ": "JWT", "alg": alg, "kid": kid }).to_string();
    let unsigned = |alg: &str| {
        let header = base64url(head(alg).as_bytes());
        format!("{header}.{}.", base64url(claims.as_bytes()))
    };
    let signed = |header: &str| signer.sign(header, &claims);
    let other = Signer::es256(kid).sign(&head("ES256"), &claims);
    let by_public_key = Signer::hs256(&signer.pem()).sign(&head("HS256"), &claims);
    let critical = json!({ "alg": "RS256", "kid": kid, "crit": ["b64"], "b64": false });
    let foreign = json!({ "alg": "RS256", "kid": "somebody-else" });
    let twice = r#"{"alg":"RS256","alg":"none"}"#;
    all([
        ("alg none", unsigned("none"), "algorithm"),
        ("alg nOnE", unsigned("nOnE"), "algorithm"),
        ("alg none, signed", signed(&head("none")), "algorithm"),
        ("unknown alg", signed(&head("XS999")), "algorithm"),
        ("alg not pinned", other, "algorithm"),
        ("alg of another length", signed(&head("RS512")), "algorithm"),
        ("the public key as secret", by_public_key, "signature"),
        ("foreign kid", signed(&foreign.to_string()), "unknown-key"),
        ("critical header", signed(&critical.to_string()), "malformed"),
        ("alg twice", signed(twice), "algorithm"),
        ("header is no object", signed("[]"), "algorithm"),
    ])
}

/// Not signed by whom they say.
fn forged(signer: &Signer, sound: &Value) -> Vec<Attack> {
    let claims = sound.to_string();
    let good = signer.token(sound);
    let (message, _) = good.rsplit_once('.').unwrap();
    let (header, _) = message.split_once('.').unwrap();
    let mut richer = sound.clone();
    richer["tier"] = json!("enterprise");
    let richer = base64url(richer.to_string().as_bytes());
    let tampered = good.replace(&base64url(claims.as_bytes()), &richer);
    let stranger = Signer::rs256(&signer.kid);
    let brought = json!({ "alg": "RS256", "jwk": stranger.jwk() }).to_string();
    let brought = stranger.sign(&brought, &claims);
    let cut = good[..good.len() - 10].to_owned();
    all([
        ("signature stripped", format!("{message}."), "signature"),
        ("signature missing", message.to_owned(), "malformed"),
        ("truncated", cut, "signature"),
        ("header only", header.to_owned(), "malformed"),
        ("no token at all", "tollgate".to_owned(), "malformed"),
        ("four parts", format!("{good}.e30"), "malformed"),
        ("claims tampered", tampered, "signature"),
        ("another key, same name", stranger.token(sound), "signature"),
        ("brings its own key", brought, "signature"),
    ])
}

fn all<const N: usize>(attacks: [(&'static str, String, &'static str); N]) -> Vec<Attack> {
    let attack = |(name, token, reason)| Attack { name, token, reason };
    attacks.into_iter().map(attack).collect()
}

/// Signed by the right one, and still not to be believed.
fn stale(signer: &Signer, sound: &Value, now_s: u64) -> Vec<Attack> {
    let with = |name: &str, value: Value| {
        let mut claims = sound.clone();
        claims[name] = value;
        signer.token(&claims)
    };
    let without = |name: &str| {
        let mut claims = sound.clone();
        claims.as_object_mut().unwrap().remove(name);
        signer.token(&claims)
    };
    let head = json!({ "alg": "RS256", "kid": signer.kid }).to_string();
    let text = sound.to_string();
    let twice = format!("{{\"sub\":\"victim\",{}", &text[1..]);
    let attack = |name, token: String, reason| Attack { name, token, reason };
    vec![
        attack("expired", with("exp", json!(now_s - 3_600)), "expired"),
        attack("exp is a text", with("exp", json!("4102444800")), "claims"),
        attack("exp is below zero", with("exp", json!(-1)), "claims"),
        attack("exp is null", with("exp", Value::Null), "claims"),
        attack("no exp", without("exp"), "claims"),
        attack("nbf ahead", with("nbf", json!(now_s + 3_600)), "not-yet"),
        attack("nbf is a text", with("nbf", json!("0")), "claims"),
        attack("issued by another", with("iss", json!("https://evil.example")), "issuer"),
        attack("no issuer", without("iss"), "issuer"),
        attack("for another", with("aud", json!(["billing"])), "audience"),
        attack("for nobody", without("aud"), "audience"),
        attack("no user", without("sub"), "claims"),
        attack("user is a number", with("sub", json!(7)), "claims"),
        attack("tier is a list", with("tier", json!(["enterprise"])), "claims"),
        attack("a claim twice", signer.sign(&head, &twice), "claims"),
        attack("claims are no object", signer.sign(&head, "[1]"), "claims"),
        attack("oversized", with("padding", json!("x".repeat(9_000))), "too-large"),
    ]
}
