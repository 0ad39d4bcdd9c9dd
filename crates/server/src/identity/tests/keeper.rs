//! Files of keys that change while the server runs.
// Proves: I1

use std::{fs, sync::Arc};

use tollgate_core::Timestamp;
use tollgate_testkit::jwt::{Signer, jwks};

use crate::{Sources, identity::JwtKeeper, telemetry::Recorder};

// On a time that stands while files are read: they never seem to hang.
#[tokio::test(start_paused = true)]
async fn new_keys_are_in_force_and_broken_ones_never() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jwks.json");
    let (former, next) = (Signer::es256("former"), Signer::es256("next"));
    fs::write(&path, jwks(&[&former])).unwrap();
    let flags = [
        ("jwt_algorithms".to_owned(), "ES256".to_owned()),
        ("jwt_jwks_file".to_owned(), path.display().to_string()),
    ];
    let sources = Sources { flags: flags.into(), ..Sources::default() };
    let jwt = crate::load(&sources).unwrap().settings.identity.jwt.unwrap();
    let recorder = Arc::new(Recorder::default());
    let (mut keeper, verifier) = JwtKeeper::open(&jwt, &recorder).unwrap();
    let standing = keeper.standing();
    let claims = serde_json::json!({ "sub": "alice", "exp": 1_000 });
    let (by_former, by_next) = (former.token(&claims), next.token(&claims));
    let believes = |token: &str| verifier.verify(token, Timestamp::EPOCH).is_ok();
    assert!(believes(&by_former) && !believes(&by_next));

    for broken in ["{", "{\"keys\":[{\"kty\":\"oct\",\"k\":\"AA\"}]}", ""] {
        fs::write(&path, broken).unwrap();
        keeper.look().await;
        keeper.look().await;
        let trouble = standing.trouble().unwrap();
        assert!(trouble.contains("the former keys stay"), "{trouble}");
        assert!(trouble.contains("jwks.json (jwt_jwks_file)"), "{trouble}");
        assert!(believes(&by_former) && !believes(&by_next));
        assert!(recorder.scrape().contains("tollgate_jwt_reload_success 0"));
    }
    fs::write(&path, jwks(&[&next])).unwrap();
    keeper.look().await;
    assert_eq!(standing.trouble(), None);
    assert!(recorder.scrape().contains("tollgate_jwt_reload_success 1"));
    // What was verified with the former key is not remembered.
    assert!(!believes(&by_former) && believes(&by_next));
    fs::write(&path, "{").unwrap();
    keeper.look().await;
    fs::write(&path, jwks(&[&next])).unwrap();
    keeper.look().await;
    assert_eq!(standing.trouble(), None, "it was half written for a moment");
    fs::remove_file(&path).unwrap();
    keeper.look().await;
    keeper.look().await;
    let trouble = standing.trouble().unwrap();
    assert!(trouble.contains("the former keys stay"), "{trouble}");
    assert!(believes(&by_next), "a file that is away says nothing");
    // An issuer that is not to be believed any more is taken out.
    fs::write(&path, "{\"keys\":[]}").unwrap();
    keeper.look().await;
    assert_eq!(standing.trouble(), None);
    assert!(!believes(&by_former) && !believes(&by_next));
}

/// Algorithms, the setting, the file, and what is told.
const UNUSABLE: [(&str, &str, &str, &str); 9] = [
    ("RS256", "jwt_key_file", "ec.pem", "no algorithm of jwt_algorithms is for a key of this kind"),
    ("RS256", "jwt_key_file", "private.pem", "it holds a private key"),
    ("RS256", "jwt_key_file", "none.pem", "expected one public key"),
    ("RS256", "jwt_key_file", "missing.pem", "make the file readable"),
    ("HS256", "jwt_secret_file", "short", "at least 32 characters"),
    ("HS256", "jwt_secret_file", "ec.pem", "a public key is no secret"),
    ("RS256", "jwt_jwks_file", "ec.pem", "expected a JWKS"),
    ("RS256", "jwt_jwks_file", "set.json", "none of its keys can be used"),
    ("ES256", "jwt_jwks_file", "set.json", "the same `kid`"),
];

#[test]
fn a_file_that_cannot_be_used_is_told_with_its_place_and_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let signer = Signer::es256("a");
    let private = "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n";
    for (name, text) in [
        ("ec.pem", signer.pem()),
        ("private.pem", private.to_owned()),
        ("none.pem", "hello".to_owned()),
        ("short", "short".to_owned()),
        ("set.json", jwks(&[&signer, &signer])),
    ] {
        fs::write(path(name), text).unwrap();
    }
    for (algorithms, setting, name, wanted) in UNUSABLE {
        let flags = [
            ("jwt_algorithms".to_owned(), algorithms.to_owned()),
            (setting.to_owned(), path(name)),
        ];
        let sources = Sources { flags: flags.into(), ..Sources::default() };
        let jwt = crate::load(&sources).unwrap().settings.identity.jwt.unwrap();
        let error = JwtKeeper::open(&jwt, &Arc::default()).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
        assert!(error.contains(&format!("{name} ({setting})")), "{error}");
    }
}
