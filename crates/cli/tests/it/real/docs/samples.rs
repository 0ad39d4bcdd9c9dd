//! The manual's programs for other languages, against a server elsewhere: none of them lets pass what the server refuses.
// Proves: S1, I4

use std::process::{Command, Output};

use tollgate_testkit::{program, wait_for};

use super::{
    elsewhere::Elsewhere,
    shell::{go_environment, patient},
};
use crate::{
    common::{Desk, cleared, server::LONG},
    docs::{block::blocks, pages},
};

const PAGE: &str = "docs/how-to/call-from-python-node-go.md";

/// The programs of the page, in the folder of the desk, with their names.
fn programs(desk: &Desk) -> [(&'static str, Vec<String>); 3] {
    let (_, text) = pages().into_iter().find(|(name, _)| name == PAGE).unwrap();
    for block in blocks(&text) {
        match (block.language, block.file_name()) {
            ("yaml", Some(name)) => desk.write(name, &block.text),
            ("python" | "js" | "go", Some(name)) => desk.write(name, &patient(name, &block.text)),
            _ => {}
        }
    }
    let built = Command::new(program("go"))
        .args(["build", "-o", "gate", "gate.go"])
        .current_dir(desk.path("."))
        .envs(go_environment(&desk.path(".")))
        .output()
        .unwrap();
    assert!(built.status.success(), "{built:?}");
    let path = |name: &str| program(name).display().to_string();
    [
        ("python", vec![path("python3"), "gate.py".to_owned()]),
        ("node", vec![path("node"), "gate.mjs".to_owned()]),
        ("go", vec![desk.path("gate").display().to_string()]),
    ]
}

/// Runs one of them with these facts.
fn run(
    (desk, elsewhere): (&Desk, &Elsewhere),
    words: &[String],
    token: Option<&str>,
    facts: &[&str],
) -> Output {
    let mut command = Command::new(&words[0]);
    cleared(&mut command).current_dir(desk.path("."));
    command.args(&words[1..]).args(facts);
    command.env("TOLLGATE_HTTP", elsewhere.server.http.to_string());
    if let Some(token) = token {
        command.env("TOLLGATE_TOKEN", token);
    }
    elsewhere.there(&command).output().unwrap()
}

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn no_program_of_the_manual_lets_pass_what_the_server_refuses() {
    let desk = Desk::new();
    let programs = programs(&desk);
    let elsewhere = Elsewhere::serve(&desk, &["--rules", "rules.yaml"]);
    let place = (&desk, &elsewhere);
    let server = &elsewhere.server;
    assert!(!server.http.ip().is_loopback(), "{}", server.http);

    // Without trust each stops, and none goes on.
    for (name, words) in &programs {
        let output = run(place, words, None, &["user_id=ann", "endpoint=/search"]);
        let all = format!("{output:?}");
        assert!(!output.status.success() && !all.contains("goes on"), "{name}: {all}");
        assert!(all.contains("trusted_callers"), "{name}: {all}");
    }
    let address = server.http.ip().to_string();
    wait_for("the log to name callers that are not trusted", LONG, || {
        let log = server.log();
        let mut lines = log.lines();
        let told = lines.find(|line| line.contains("is not trusted to state"))?;
        assert!(told.contains(&address), "{told}");
        assert!(told.contains("tollgate tokens create"), "{told}");
        Some(())
    });

    let admin = server.admin.to_string();
    let create = desk.command(&[
        "tokens",
        "create",
        "search-service",
        "--role",
        "viewer",
        "--admin",
        &admin,
        "--json",
    ]);
    let made = said(&elsewhere.there(&create).output().unwrap());
    let made: serde_json::Value = serde_json::from_str(&made).unwrap();
    let token = made["token"].as_str().unwrap();
    let long = format!("user_id={}", "x".repeat(1_100));
    for (name, words) in &programs {
        let ask = |facts: &[&str]| said(&run(place, words, Some(token), facts));
        let user = format!("user_id={name}");
        let told = ask(&[&user, "endpoint=/search"]);
        let limited = "1 goes on\n2 goes on\n3 is answered 429, Retry-After: ";
        assert!(told.starts_with(limited), "{name}: {told}");
        let denied = "1 is answered 400\n2 is answered 400\n3 is answered 400\n";
        assert_eq!(ask(&[&long, "endpoint=/search"]), denied, "{name}");
        assert_eq!(ask(&[&user, "endpoint=/../search"]), denied, "{name}");
        // A client's own credentials that are refused are a denial, too.
        let denied = denied.replace("400", "401");
        assert_eq!(ask(&["token=a.b.c", "endpoint=/search"]), denied, "{name}");
    }
}
