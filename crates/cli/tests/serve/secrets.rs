//! What the process writes, searched for what it must not write.

use std::{fs, path::Path};

use serde_json::{Value, json};
use tollgate_testkit::wait_for;

use crate::common::{Desk, resp::Resp, server::LONG};

/// Every byte below a folder.
fn bytes_below(folder: &Path, all: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            bytes_below(&path, all);
        } else {
            all.push((path.display().to_string(), fs::read(&path).unwrap()));
        }
    }
}

fn holds(haystack: &[u8], needle: &str) -> bool {
    haystack
        .windows(needle.len())
        .any(|window| window == needle.as_bytes())
}

/// The full key and the full token are in the one answer that shows them and nowhere else: not in the database or its log
/// of writes, not in the log at its most talkative, not in metrics, in the audit or in an error.
// Proves: I2, O2
#[test]
fn a_key_and_a_token_are_written_nowhere() {
    let desk = Desk::new();
    let server = desk.serve(&["--log", "trace"]);
    let mut admin = server.administration();
    let key = admin
        .post(
            "/ratelimit/api-keys",
            &json!({ "name": "billing", "user_id": "acme" }),
        )
        .with(201)
        .json();
    let token = admin
        .post(
            "/ratelimit/tokens",
            &json!({ "name": "dana", "role": "viewer" }),
        )
        .with(201)
        .json();
    let text = |of: &Value, name: &str| of[name].as_str().unwrap().to_owned();
    let (id, first) = (text(&key, "id"), text(&key, "key"));
    let path = format!("/ratelimit/api-keys/{id}/rotate?grace=1h");
    let second = text(&admin.ask("POST", &path, &[], "").with(200).json(), "key");
    let token = text(&token, "token");

    // They are used, rightly and wrongly, on every side.
    let mut wrong = first.clone();
    wrong.pop();
    let mut answers = Vec::new();
    for shown in [&first, &second, &wrong, &token] {
        let facts = json!({ "api_key": shown, "endpoint": "/hello" });
        answers.push(server.decisions().post("/ratelimit/check", &facts).body);
        answers.push(server.decisions().post("/ratelimit/reset", &facts).body);
        let mut resp = Resp::to(server.resp);
        answers.push(resp.ask(&["TG.CHECK", "api_key", shown]));
        answers.push(resp.ask(&["AUTH", shown]));
        let bearer = format!("Bearer {shown}");
        for (method, path) in [("GET", "/ratelimit/rules"), ("POST", "/ratelimit/rules")] {
            let reply = admin.send(
                method,
                path,
                &[("Authorization", &bearer)],
                &json!({ "name": "a" }),
            );
            answers.push(reply.body);
        }
    }
    admin
        .ask("POST", &format!("/ratelimit/api-keys/{id}/revoke"), &[], "")
        .with(200);
    // Refusals are on record a moment later.
    wait_for("the audit of refusals", LONG, || {
        let page = admin.get("/ratelimit/audit?object_kind=request").json();
        (!page["rows"].as_array().unwrap().is_empty()).then_some(())
    });
    for path in [
        "/metrics",
        "/ratelimit/audit?limit=1000",
        "/ratelimit/api-keys",
        "/ratelimit/tokens",
        "/ratelimit/keys/top",
    ] {
        answers.push(admin.get(path).with(200).body);
    }
    answers.push(
        desk.run(&["audit", "--json", "--admin", &server.admin.to_string()])
            .fine()
            .out,
    );
    let mut written: Vec<(String, Vec<u8>)> = Vec::new();
    bytes_below(&desk.path("tollgate-data"), &mut written);
    let (_, log) = server.stop();
    assert!(
        log.contains("TRACE") || log.contains("DEBUG"),
        "the log is talkative"
    );
    written.push(("the log".to_owned(), log.into_bytes()));
    bytes_below(&desk.path("tollgate-data"), &mut written);
    written.extend(
        answers
            .into_iter()
            .map(|answer| ("an answer".to_owned(), answer.into_bytes())),
    );
    assert!(
        written
            .iter()
            .any(|(name, bytes)| name.ends_with(".db") && holds(bytes, "billing"))
    );
    for (name, bytes) in &written {
        for secret in [&first, &second, &token] {
            assert!(!holds(bytes, secret), "{name} holds a secret");
            // Not without its last letters either, which only check it.
            let random = &secret[..secret.len() - 6];
            assert!(!holds(bytes, random), "{name} holds most of a secret");
        }
    }
}
