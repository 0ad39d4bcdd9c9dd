//! Who asks: keys of tokens that are rotated while the server runs, and the secret of the API keys.
// Proves: I1, I2

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    time::{SystemTime, UNIX_EPOCH},
};

use serde_json::json;
use tollgate_testkit::{
    jwt::{Signer, jwks},
    wait_for,
};

use crate::common::{
    Desk,
    server::{LONG, Server},
};

#[expect(clippy::disallowed_methods, reason = "a token ends by the time of day")]
fn token(signer: &Signer) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    signer.token(&json!({ "sub": "alice", "exp": now.as_secs() + 600 }))
}

/// The reason why a token is not believed, if it is not.
fn reason(server: &Server, token: &str) -> Option<String> {
    let asked = json!({ "token": token, "endpoint": "/hello" });
    let reply = server.decisions().post("/ratelimit/check", &asked);
    let body: serde_json::Value = serde_json::from_str(&reply.body).unwrap();
    assert!(reply.status != 401 || body["reason"].is_string(), "{reply:?}");
    let reason = body["reason"].as_str().map(str::to_owned);
    reason.filter(|_| body["allowed"].is_null())
}

/// However many tokens a batch shows, and whatever they are worth, each request has its answer in its place.
#[test]
fn a_long_batch_of_tokens_is_answered_whole() {
    let desk = Desk::new();
    let (ours, theirs) = (Signer::es256("ours"), Signer::es256("theirs"));
    desk.write("jwks.json", &jwks(&[&ours]));
    let server = desk.serve(&["--jwt-algorithms", "ES256", "--jwt-jwks-file", "jwks.json"]);
    let (good, bad) = (token(&ours), token(&theirs));
    let shown = |place: usize| if place.is_multiple_of(3) { &bad } else { &good };
    let requests: Vec<_> = (0..1_000)
        .map(|place| json!({ "token": shown(place), "endpoint": "/elsewhere" }))
        .collect();
    let mut http = server.decisions();
    for _ in 0..2 {
        let batch = json!({ "requests": requests });
        let reply = http.post("/ratelimit/check/batch", &batch).with(200);
        let results = reply.json()["results"].as_array().unwrap().clone();
        assert_eq!(results.len(), requests.len());
        for (place, result) in results.iter().enumerate() {
            match place.is_multiple_of(3) {
                true => assert_eq!(result["error"]["status"], 401, "{place}: {result}"),
                false => assert_eq!(result["allowed"], true, "{place}: {result}"),
            }
        }
    }
}

#[test]
fn keys_are_rotated_live_and_a_broken_file_keeps_the_last_good() {
    let desk = Desk::new();
    let (former, next) = (Signer::es256("former"), Signer::es256("next"));
    desk.write("jwks.json", &jwks(&[&former]));
    let server = desk.serve(&["--jwt-algorithms", "ES256", "--jwt-jwks-file", "jwks.json"]);
    let (by_former, by_next) = (token(&former), token(&next));
    assert_eq!(reason(&server, &by_former), None);
    assert_eq!(reason(&server, &by_next).as_deref(), Some("unknown-key"));

    desk.write("jwks.json", &jwks(&[&former, &next]));
    wait_for("the next key", LONG, || reason(&server, &by_next).is_none().then_some(()));
    desk.write("jwks.json", "{ this is no JWKS");
    wait_for("that it is told", LONG, || {
        let ready = server.decisions().get("/readyz").with(200);
        ready.body.contains("the former keys stay").then_some(())
    });
    assert_eq!(reason(&server, &by_former), None);
    assert_eq!(reason(&server, &by_next), None);
    desk.write("jwks.json", &jwks(&[&next]));
    wait_for("the end of the former key", LONG, || {
        let refused = reason(&server, &by_former);
        (refused.as_deref() == Some("unknown-key")).then_some(())
    });
    wait_for("nothing is told of any more", LONG, || {
        let ready = server.decisions().get("/readyz").with(200);
        (!ready.body.contains("former keys")).then_some(())
    });
    let scrape = server.administration().get("/metrics").with(200).body;
    let counted = "tollgate_identity_refused_total{reason=\"unknown-key\"} ";
    assert!(scrape.lines().any(|line| line.starts_with(counted) && !line.ends_with(" 0")));
    assert!(!server.log().contains(&by_former), "no token is logged");
}

#[test]
fn the_secret_of_the_keys_is_for_its_owner_alone() {
    let desk = Desk::new();
    desk.serve(&[]).stop();
    let path = desk.path("tollgate-data/key-secret");
    let secret = fs::read_to_string(&path).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    let server = desk.serve(&[]);
    assert!(!server.log().contains(secret.trim()));
    server.stop();
    assert_eq!(fs::read_to_string(&path).unwrap(), secret);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let ran = desk
        .line("serve --http 127.0.0.1:0 --grpc 127.0.0.1:0 --resp 127.0.0.1:0 --admin 127.0.0.1:0");
    assert_ne!(ran.code, Some(0));
    assert!(ran.err.contains("chmod 600"), "{}", ran.err);
}

#[test]
fn nodes_that_share_a_database_must_share_the_secret() {
    let desk = Desk::on("postgres://gate:secret@127.0.0.1:1/none");
    let words = ["serve", "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0"];
    let mut command = desk.command(&words);
    command.args(["--resp", "127.0.0.1:0", "--admin", "127.0.0.1:0"]);
    let output = command.env_remove("TOLLGATE_KEY_SECRET").output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success());
    assert!(told.contains("TOLLGATE_KEY_SECRET"), "{told}");
}

#[test]
fn secrets_are_set_and_never_shown() {
    let desk = Desk::new();
    let mut command = desk.command(&["config", "--jwt-algorithms", "HS256"]);
    let secret = "hunter2-hunter2-hunter2-hunter2-hunter2";
    command.env("TOLLGATE_JWT_SECRET", secret);
    command.env("TOLLGATE_KEY_SECRET", secret);
    let output = command.output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{shown}");
    for name in ["jwt_secret ", "key_secret "] {
        let row = shown.lines().find(|line| line.starts_with(name)).unwrap();
        assert!(row.contains("(set)"), "{row}");
    }
    assert!(!shown.contains("hunter2"));
}
