//! A fresh machine: no database, no file, one command.

use serde_json::{Value, json};

use crate::common::{Desk, http::Http};

fn hello() -> Value {
    json!({ "user_id": "alice", "endpoint": "/hello" })
}

#[test]
fn the_demonstration_is_never_stored_and_goes_with_the_first_rule() {
    let desk = Desk::new();
    let server = desk.serve(&[]);
    let mut http = server.decisions();
    let answer = http.post("/ratelimit/check", &hello()).with(200).json();
    assert_eq!(answer["rule"], "demo-hello");
    let exported = desk.line("rules export").fine().out;
    assert!(!exported.contains("demo-hello"), "{exported}");

    desk.write("rules.yaml", "version: 1\nrules: [{ name: mine, key: [user], limit: 7/h }]\n");
    desk.line("rules apply rules.yaml --wait 60").fine();
    let answer = http.post("/ratelimit/check", &hello()).with(200).json();
    assert_eq!(answer["rule"], "mine");
    assert_eq!(answer["limit"], 7);
}

#[test]
fn there_is_no_demonstration_where_it_is_not_wanted() {
    let desk = Desk::new();
    let server = desk.serve(&["--no-demo"]);
    assert_eq!(server.announcement["demo"], false);
    let answer = server.decisions().post("/ratelimit/check", &hello()).with(200).json();
    assert_eq!((&answer["allowed"], &answer["rule"]), (&json!(true), &Value::Null));
}

/// Without rules every request passes, and every instrument says so.
#[test]
fn a_server_without_rules_says_so() {
    let words = "no rules are in force: every request passes";
    let desk = Desk::new();
    let server = desk.serve(&["--no-demo"]);
    let told = server.announcement["warnings"].to_string();
    assert!(told.contains(words), "{told}");
    let warnings = |mut http: Http| {
        let ready = http.get("/readyz").with(200).json();
        assert_eq!(ready["ready"], true);
        assert_eq!(ready["degraded"], json!([]));
        ready["warnings"].to_string()
    };
    let both = || [server.decisions(), server.administration()].map(warnings);
    assert!(both().iter().all(|told| told.contains(words)), "{:?}", both());
    let doctor = desk.line("doctor --no-demo").out;
    assert!(doctor.contains(words), "{doctor}");
    // Where others can reach it there is no demonstration either.
    let doctor = desk.line("doctor --http 0.0.0.0:0").out;
    assert!(doctor.contains(words), "{doctor}");
    let demo = desk.line("doctor").out;
    assert!(demo.contains("a demonstration runs"), "{demo}");
    desk.write("rules.yaml", "version: 1\nrules: [{ name: mine, key: [user], limit: 7/h }]\n");
    desk.line("rules apply rules.yaml --wait 60").fine();
    assert_eq!(both(), ["[]", "[]"]);
}

// Proves: C3
#[test]
fn it_says_that_counting_is_local() {
    let desk = Desk::new();
    let server = desk.serve(&[]);
    let counting = server.announcement["counting"].as_str().unwrap();
    assert!(counting.contains("counts on this node alone"), "{counting}");
    for mut http in [server.decisions(), server.administration()] {
        let ready = http.get("/readyz").with(200);
        assert!(ready.body.contains("counts on this node alone"), "{}", ready.body);
    }
}

// Proves: S6
#[test]
fn a_key_spent_over_one_protocol_is_spent_in_all() {
    let desk = Desk::new();
    desk.write("rules.yaml", "version: 1\nrules: [{ name: hello, key: [user], limit: 5/day }]\n");
    let server = desk.serve(&["--rules", "rules.yaml"]);
    let mut http = server.decisions();
    let mut redis = crate::common::resp::Resp::to(server.resp);
    for left in [4, 2] {
        let answer = http.post("/ratelimit/check", &hello()).with(200).json();
        assert_eq!(answer["remaining"], left);
        let reply = redis.ask(&["TG.CHECK", "user_id", "alice", "endpoint", "/hello"]);
        assert!(reply.starts_with(&format!("*6\r\n:1\r\n:5\r\n:{}\r\n", left - 1)), "{reply}");
    }
    http.post("/ratelimit/check", &hello()).with(200);
    http.post("/ratelimit/check", &hello()).with(429);
    let reply = redis.ask(&["TG.CHECK", "user_id", "alice", "endpoint", "/hello"]);
    assert!(reply.starts_with("*6\r\n:0\r\n:5\r\n:0\r\n"), "{reply}");
}
