//! What the process writes, searched for what it must not write.

use std::{fs, io::ErrorKind, path::Path};

use serde_json::{Value, json};
use tollgate_testkit::wait_for;

use crate::common::{
    Desk,
    resp::Resp,
    server::{LONG, Server},
};

/// Every byte below a folder.
fn bytes_below(folder: &Path, all: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            bytes_below(&path, all);
            continue;
        }
        match fs::read(&path) {
            Ok(bytes) => all.push((path.display().to_string(), bytes)),
            // A running server renames and deletes what it has written.
            Err(error) => assert_eq!(error.kind(), ErrorKind::NotFound, "{}", path.display()),
        }
    }
}

fn holds(haystack: &[u8], needle: &str) -> bool {
    haystack.windows(needle.len()).any(|window| window == needle.as_bytes())
}

/// Shows it on every side, and keeps what is answered.
fn show(server: &Server, shown: &str, answers: &mut Vec<String>) {
    let facts = json!({ "api_key": shown, "endpoint": "/hello" });
    for path in ["/ratelimit/check", "/ratelimit/reset"] {
        answers.push(server.decisions().post(path, &facts).body);
    }
    let mut resp = Resp::to(server.resp);
    answers.push(resp.ask(&["TG.CHECK", "api_key", shown]));
    answers.push(resp.ask(&["AUTH", shown]));
    let (mut admin, bearer) = (server.administration(), format!("Bearer {shown}"));
    let headers = [("Authorization", bearer.as_str())];
    for (method, path) in [
        ("GET", "/ratelimit/rules".to_owned()),
        ("POST", "/ratelimit/rules".to_owned()),
        // Somebody takes the key for its id.
        ("DELETE", format!("/ratelimit/api-keys/{shown}")),
    ] {
        let reply = admin.send(method, &path, &headers, &json!({ "name": "a" }));
        answers.push(reply.body);
    }
    let path = format!("/ratelimit/api-keys/{shown}/revoke");
    let reply = admin.ask("POST", &path, &[], "");
    assert!([404, 422].contains(&reply.status), "{reply:?}");
    answers.push(reply.body);
    let block = json!({ "api_key": shown });
    answers.push(admin.post("/ratelimit/blocks", &block).with(422).body);
}

/// None of them holds a secret.
fn are_without(written: &[(String, Vec<u8>)], secrets: &[&String]) {
    for (name, bytes) in written {
        for secret in secrets {
            // Not without its last letters either, which only check it.
            let random = &secret[..secret.len() - 6];
            assert!(!holds(bytes, random), "{name} holds a secret");
        }
    }
}

/// The full key and the full token are in the one answer that shows them and nowhere else: not in the database or its log
/// of writes, not in the log at its most talkative, not in metrics, in the audit or in an error.
// Proves: I2, O2
#[test]
fn a_key_and_a_token_are_written_nowhere() {
    let desk = Desk::new();
    let server = desk.serve(&["--log", "trace"]);
    let mut admin = server.administration();
    let mut issued = |path: &str, wanted: &Value| admin.post(path, wanted).with(201).json();
    let key = issued("/ratelimit/api-keys", &json!({ "name": "billing", "user_id": "acme" }));
    let token = issued("/ratelimit/tokens", &json!({ "name": "dana", "role": "viewer" }));
    let text = |of: &Value, name: &str| of[name].as_str().unwrap().to_owned();
    let (id, first, token) = (text(&key, "id"), text(&key, "key"), text(&token, "token"));
    let path = format!("/ratelimit/api-keys/{id}/rotate?grace=1h");
    let second = text(&admin.ask("POST", &path, &[], "").with(200).json(), "key");
    let mut wrong = first.clone();
    wrong.pop();
    let mut answers = Vec::new();
    for shown in [&first, &second, &wrong, &token] {
        show(&server, shown, &mut answers);
    }
    let path = format!("/ratelimit/api-keys/{id}/revoke");
    admin.ask("POST", &path, &[], "").with(200);
    // Refusals are on record a moment later.
    wait_for("the audit of refusals", LONG, || {
        let page = admin.get("/ratelimit/audit?object_kind=request").json();
        (!page["rows"].as_array().unwrap().is_empty()).then_some(())
    });
    for path in
        ["metrics", "ratelimit/audit?limit=1000", "ratelimit/api-keys", "ratelimit/keys/top"]
    {
        answers.push(admin.get(&format!("/{path}")).with(200).body);
    }
    let address = server.admin.to_string();
    answers.push(desk.run(&["audit", "--json", "--admin", &address]).fine().out);
    let mut written: Vec<(String, Vec<u8>)> = Vec::new();
    bytes_below(&desk.path("tollgate-data"), &mut written);
    let (_, log) = server.stop();
    assert!(log.contains("TRACE") || log.contains("DEBUG"), "it is talkative");
    written.push(("the log".to_owned(), log.into_bytes()));
    bytes_below(&desk.path("tollgate-data"), &mut written);
    let answers = answers.into_iter().map(|answer| ("an answer".to_owned(), answer.into_bytes()));
    written.extend(answers);
    let is_stored =
        |(name, bytes): &(String, Vec<u8>)| name.ends_with(".db") && holds(bytes, "billing");
    assert!(written.iter().any(is_stored));
    are_without(&written, &[&first, &second, &token]);
}
