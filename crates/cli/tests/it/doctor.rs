//! What the doctor finds on a machine without Redis and PostgreSQL.
// Proves: O6

use std::net::TcpListener;

use serde_json::Value;

use crate::common::{Desk, Ran};

const ANY_PORTS: &str =
    "--http 127.0.0.1:0 --grpc 127.0.0.1:0 --resp 127.0.0.1:0 --admin 127.0.0.1:0";

/// Examines a server that would have any ports, and these flags.
pub(crate) fn examine(desk: &Desk, flags: &str) -> Ran {
    desk.line(&format!("doctor {ANY_PORTS} {flags}"))
}

/// The texts about one thing that have a grade, with their remedies.
fn told(json: &Value, about: &str, grade: &str) -> Vec<String> {
    let checks = json["checks"].as_array().unwrap().iter();
    let such = checks.filter(|it| it["about"] == about && it["grade"] == grade);
    such.map(|it| format!("{} -> {}", it["text"], it["remedy"])).collect()
}

#[track_caller]
pub(crate) fn one(json: &Value, about: &str, grade: &str, words: &[&str]) {
    let found = told(json, about, grade);
    let has = |text: &String| words.iter().all(|word| text.contains(word));
    assert!(found.iter().any(has), "no {grade} of {about}: {json:#}");
}

#[test]
fn a_port_that_is_taken_is_a_problem() {
    let somebody = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = somebody.local_addr().unwrap();
    let desk = Desk::new();
    let ports = "--grpc 127.0.0.1:0 --resp 127.0.0.1:0 --admin 127.0.0.1:0";
    let ran = desk.line(&format!("doctor {ports} --http {address} --json"));
    let words = ["another process has this port", "--http"];
    one(&ran.with(1).json(), "http", "problem", &words);
}

#[test]
fn settings_that_are_wrong_are_told_one_by_one() {
    let desk = Desk::new();
    let ports = "--grpc 127.0.0.1:0 --resp 127.0.0.1:0 --admin 127.0.0.1:0";
    let ran = desk.line(&format!("doctor {ports} --http nowhere --redis http://x --json"));
    let json = ran.with(1).json();
    one(&json, "settings", "problem", &["--http"]);
    one(&json, "settings", "problem", &["--redis"]);
    assert_eq!(json["problems"], 2, "{json:#}");
    desk.write("tollgate.toml", "data = \"rules.yaml/below\"\n");
    desk.write("rules.yaml", "");
    desk.line(&format!("doctor {ANY_PORTS}"))
        .with(1)
        .says("problem  data      rules.yaml/below cannot be made: ")
        .says("--data DIR");
}
