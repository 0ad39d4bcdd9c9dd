//! Settings of identity.
// Proves: I1, I2, O6

use std::time::Duration;

use super::{loaded, wrong};
use crate::config::{ApiKeys, JwtSecret, ProxyProtocol};

const SECRET: &str = "a-shared-secret-of-enough-characters";
const IN_ENVIRONMENT: (&str, &str) = ("TOLLGATE_JWT_SECRET", SECRET);

type Given = &'static [(&'static str, &'static str)];

/// Flags, variables, and what is told.
const WRONG: &[(Given, Given, &str)] = &[
    (&[("jwt_key_file", "a.pem")], &[], "jwt_key_file is set without jwt_algorithms"),
    (&[], &[IN_ENVIRONMENT], "jwt_secret is set without jwt_algorithms"),
    (
        &[("jwt_algorithms", "HS256"), ("jwt_key_file", "a.pem")],
        &[],
        "set TOLLGATE_JWT_SECRET or --jwt-secret-file FILE; a public key is no secret",
    ),
    (&[("jwt_algorithms", "RS256")], &[], "--jwt-key-file FILE or --jwt-jwks-file FILE"),
    (
        &[("jwt_algorithms", "RS256"), ("jwt_key_file", "a.pem")],
        &[IN_ENVIRONMENT],
        "no algorithm of jwt_algorithms uses it: add HS256",
    ),
    (
        &[("jwt_algorithms", "HS256,none")],
        &[IN_ENVIRONMENT],
        "expected a list of algorithms out of HS256, ",
    ),
    (
        &[("jwt_algorithms", "HS256"), ("jwt_leeway", "6min")],
        &[IN_ENVIRONMENT],
        "up to 5min: set the clocks right",
    ),
    (
        &[("jwt_algorithms", "HS256")],
        &[("TOLLGATE_JWT_SECRET", "short")],
        "expected at least 32 characters",
    ),
    (
        &[("jwt_algorithms", "HS256")],
        &[IN_ENVIRONMENT, ("TOLLGATE_JWT_SECRET_FILE", "b")],
        "keep one of them",
    ),
    (
        &[],
        &[("TOLLGATE_KEY_SECRET", SECRET), ("TOLLGATE_KEY_SECRET_FILE", "b")],
        "keep one of them",
    ),
    (&[("api_keys", "some")], &[], "expected auto, issued or any"),
    (&[("unknown_tier", "drop")], &[], "expected default, keep or refuse"),
    (&[("api_key_header", "Authorization")], &[], "expected the name of a header"),
    (&[("trusted_callers", "0.0.0.0/0")], &[], "is everybody: write all if that is meant"),
    (&[("proxy_protocol", "v1")], &[], "expected on or off"),
];

#[test]
fn nothing_is_verified_until_somebody_says_how() {
    let identity = loaded(&[], &[], "").settings.identity;
    assert_eq!(identity.jwt, None);
    assert_eq!(identity.api_keys, ApiKeys::Auto);
    assert_eq!(&*identity.api_key_header, "X-API-Key");
    assert_eq!(identity.proxy_protocol, ProxyProtocol::Off);
    assert!(!identity.trusted_callers.has([127, 0, 0, 1].into()));
}

#[test]
fn a_whole_set_is_read() {
    let flags = [
        ("jwt_algorithms", "HS256, RS256,HS256"),
        ("jwt_key_file", "issuer.pem"),
        ("jwt_leeway", "5min"),
    ];
    let jwt = loaded(&flags, &[IN_ENVIRONMENT], "").settings.identity.jwt.unwrap();
    let names: Vec<&str> = jwt.algorithms.iter().map(|one| one.name()).collect();
    assert_eq!(names, ["HS256", "RS256"]);
    assert!(matches!(jwt.secret, Some(JwtSecret::Given(_))));
    assert_eq!(jwt.leeway, Duration::from_secs(300));
    assert_eq!(&*jwt.claims.user, "sub");
    assert!(!format!("{jwt:?}").contains(SECRET));
}

#[test]
fn what_does_not_go_together_is_told_with_the_remedy() {
    for (flags, environment, remedy) in WRONG {
        let told = wrong(flags, environment, "");
        assert!(told.contains(remedy), "{told}");
        assert!(!told.contains(SECRET), "{told}");
    }
}

#[test]
fn a_file_with_the_secret_that_others_can_read_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret");
    std::fs::write(&path, SECRET).unwrap();
    let given = path.display().to_string();
    let flags = [("key_secret_file", given.as_str())];
    let set = |mode| {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(&path, mode).unwrap();
    };
    set(0o644);
    let told = wrong(&flags, &[], "");
    assert!(told.contains("chmod o= "), "{told}");
    for mode in [0o600, 0o440] {
        set(mode);
        assert!(loaded(&flags, &[], "").settings.identity.key_secret.is_some());
    }
}
