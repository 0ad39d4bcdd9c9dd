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
    let mut all = forged(signer, sound);
    all.extend(stale(signer, sound, now_s));
    all
}

/// Not signed by whom they say.
fn forged(signer: &Signer, sound: &Value) -> Vec<Attack> {
    let claims = sound.to_string();
    let good = signer.token(sound);
    let kid = &signer.kid;
    let head = |alg: &str| json!({ "typ": "JWT", "alg": alg, "kid": kid }).to_string();
    let unsigned = |alg: &str| {
        let header = base64url(head(alg).as_bytes());
        format!("{header}.{}.", base64url(claims.as_bytes()))
    };
    let (message, _) = good.rsplit_once('.').unwrap();
    let (header, _) = message.split_once('.').unwrap();
    let mut richer = sound.clone();
    richer["tier"] = json!("enterprise");
    let tampered = good.replace(
        &base64url(claims.as_bytes()),
        &base64url(richer.to_string().as_bytes()),
    );
    let by_public_key = Signer::hs256(&signer.pem());
    let (stranger, other) = (Signer::rs256(kid), Signer::es256(kid));
    let brings_its_key = json!({ "alg": "RS256", "jwk": stranger.jwk() }).to_string();
    let critical = json!({ "alg": "RS256", "kid": kid, "crit": ["b64"], "b64": false }).to_string();
    let foreign = json!({ "alg": "RS256", "kid": "somebody-else" }).to_string();
    let attack = |name, token: String, reason| Attack {
        name,
        token,
        reason,
    };
    vec![
        attack("alg none", unsigned("none"), "algorithm"),
        attack("alg nOnE", unsigned("nOnE"), "algorithm"),
        attack(
            "alg none, signed",
            signer.sign(&head("none"), &claims),
            "algorithm",
        ),
        attack(
            "unknown alg",
            signer.sign(&head("XS999"), &claims),
            "algorithm",
        ),
        attack(
            "alg not pinned",
            other.sign(&head("ES256"), &claims),
            "algorithm",
        ),
        attack(
            "alg of another length",
            signer.sign(&head("RS512"), &claims),
            "algorithm",
        ),
        attack(
            "HS256 with the public key as secret",
            by_public_key.sign(&head("HS256"), &claims),
            "signature",
        ),
        attack("signature stripped", format!("{message}."), "signature"),
        attack("signature missing", message.to_owned(), "malformed"),
        attack("truncated", good[..good.len() - 10].to_owned(), "signature"),
        attack("header only", header.to_owned(), "malformed"),
        attack("no token at all", "tollgate".to_owned(), "malformed"),
        attack("four parts", format!("{good}.e30"), "malformed"),
        attack("claims tampered", tampered, "signature"),
        attack(
            "another key of the same name",
            stranger.token(sound),
            "signature",
        ),
        attack("foreign kid", signer.sign(&foreign, &claims), "unknown-key"),
        attack(
            "brings its own key",
            stranger.sign(&brings_its_key, &claims),
            "signature",
        ),
        attack(
            "critical header",
            signer.sign(&critical, &claims),
            "malformed",
        ),
        attack(
            "alg twice",
            signer.sign(r#"{"alg":"RS256","alg":"none"}"#, &claims),
            "algorithm",
        ),
        attack(
            "header is no object",
            signer.sign("[]", &claims),
            "algorithm",
        ),
    ]
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
    let attack = |name, token: String, reason| Attack {
        name,
        token,
        reason,
    };
    vec![
        attack("expired", with("exp", json!(now_s - 3_600)), "expired"),
        attack("exp is a text", with("exp", json!("4102444800")), "claims"),
        attack("exp is below zero", with("exp", json!(-1)), "claims"),
        attack("exp is null", with("exp", Value::Null), "claims"),
        attack("no exp", without("exp"), "claims"),
        attack("nbf ahead", with("nbf", json!(now_s + 3_600)), "not-yet"),
        attack("nbf is a text", with("nbf", json!("0")), "claims"),
        attack(
            "issued by another",
            with("iss", json!("https://evil.example")),
            "issuer",
        ),
        attack("no issuer", without("iss"), "issuer"),
        attack("for another", with("aud", json!(["billing"])), "audience"),
        attack("for nobody", without("aud"), "audience"),
        attack("no user", without("sub"), "claims"),
        attack("user is a number", with("sub", json!(7)), "claims"),
        attack(
            "tier is a list",
            with("tier", json!(["enterprise"])),
            "claims",
        ),
        attack("a claim twice", signer.sign(&head, &twice), "claims"),
        attack("claims are no object", signer.sign(&head, "[1]"), "claims"),
        attack(
            "oversized",
            with("padding", json!("x".repeat(9_000))),
            "too-large",
        ),
    ]
}
