//! From texts to how tokens are verified.

use std::time::Duration;

use super::{
    Jwt, JwtAlgorithm, JwtClaims, JwtSecret,
    read::{name, one_of, secret},
};
use crate::config::{
    build::Reader,
    parse::{self, Expected},
};

/// Clocks that differ more are broken.
const LEEWAY_MAX: Duration = Duration::from_secs(5 * 60);

/// Outer none: something is wrong. Inner none: tokens are not verified.
pub(super) fn jwt(reader: &mut Reader) -> Option<Option<Jwt>> {
    let algorithms = reader.optional("jwt_algorithms", algorithms);
    let secret = jwt_secret(reader);
    let key_file = reader.optional("jwt_key_file", parse::path);
    let jwks_file = reader.optional("jwt_jwks_file", parse::path);
    let claims = [
        reader.value("jwt_user_claim", name),
        reader.value("jwt_org_claim", name),
        reader.value("jwt_tier_claim", name),
    ];
    let issuer = reader.optional("jwt_issuer", name);
    let audience = reader.optional("jwt_audience", name);
    let leeway = reader.value("jwt_leeway", leeway);
    let [Some(user), Some(org), Some(tier)] = claims else {
        return None;
    };
    let claims = JwtClaims { user, org, tier };
    let keys = ["jwt_secret", "jwt_secret_file", "jwt_key_file", "jwt_jwks_file"];
    let keyed = keys.into_iter().find(|key| reader.is_given(key));
    let Some(algorithms) = algorithms else {
        if let Some(key) = keyed.filter(|_| !reader.is_given("jwt_algorithms")) {
            reader.note(key, format!(
                "{key} is set without jwt_algorithms: name the algorithms that your tokens are signed \
                 with, such as --jwt-algorithms RS256; a token must not choose its own"
            ));
        }
        return Some(None);
    };
    let jwt =
        Jwt { algorithms, secret, key_file, jwks_file, claims, issuer, audience, leeway: leeway? };
    keys_fit(reader, &jwt);
    Some(Some(jwt))
}

fn jwt_secret(reader: &mut Reader) -> Option<JwtSecret> {
    if !one_of(reader, "jwt_secret", "jwt_secret_file") {
        return None;
    }
    if reader.origin("jwt_secret").rank() > reader.origin("jwt_secret_file").rank() {
        return reader.optional("jwt_secret", secret).map(JwtSecret::Given);
    }
    let file = reader.optional("jwt_secret_file", parse::path);
    file.map(JwtSecret::File)
}

/// Notes algorithms that no key is there for, and keys that no algorithm uses.
fn keys_fit(reader: &mut Reader, jwt: &Jwt) {
    let has_secret = reader.is_given("jwt_secret") || reader.is_given("jwt_secret_file");
    let has_public = reader.is_given("jwt_key_file") || reader.is_given("jwt_jwks_file");
    let symmetric = jwt.algorithms.iter().find(|one| one.is_symmetric());
    let public = jwt.algorithms.iter().find(|one| !one.is_symmetric());
    if let Some(algorithm) = symmetric.filter(|_| !has_secret) {
        let name = algorithm.name();
        reader.note("jwt_algorithms", format!(
            "jwt_algorithms has {name}, and there is no secret to verify it with: set TOLLGATE_JWT_SECRET or \
             --jwt-secret-file FILE; a public key is no secret and never verifies {name}"
        ));
    }
    if let Some(algorithm) = public.filter(|_| !has_public) {
        let name = algorithm.name();
        reader.note("jwt_algorithms", format!(
            "jwt_algorithms has {name}, and there is no public key to verify it with: name one with \
             --jwt-key-file FILE or --jwt-jwks-file FILE"
        ));
    }
    if symmetric.is_none() && has_secret {
        reader.note("jwt_algorithms", "a secret is set, and no algorithm of jwt_algorithms uses it: add HS256, or leave the secret out".to_owned());
    }
    if public.is_none() && has_public {
        reader.note("jwt_algorithms", "a public key is set, and no algorithm of jwt_algorithms uses it: add the one your tokens are signed with, such as RS256, or leave the key out".to_owned());
    }
}

fn leeway(text: &str) -> Result<Duration, Expected> {
    if text == "0s" {
        return Ok(Duration::ZERO);
    }
    let span = parse::span(text)?;
    if span > LEEWAY_MAX {
        return Err("expected a span up to 5min: set the clocks right instead".to_owned());
    }
    Ok(span)
}

fn algorithms(text: &str) -> Result<Vec<JwtAlgorithm>, Expected> {
    let known = || JwtAlgorithm::ALL.map(JwtAlgorithm::name).join(", ");
    let mut algorithms = Vec::new();
    for part in text.split(',').map(str::trim) {
        let found = JwtAlgorithm::ALL.into_iter().find(|one| one.name() == part);
        let Some(algorithm) = found else {
            return Err(format!("expected a list of algorithms out of {}", known()));
        };
        if !algorithms.contains(&algorithm) {
            algorithms.push(algorithm);
        }
    }
    Ok(algorithms)
}
