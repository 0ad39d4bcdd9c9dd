//! Starting, stopping, being killed, and what is wrong at the start.

use std::{fs, os::unix::fs::PermissionsExt as _};

use rustix::process::Signal;
use serde_json::{Value, json};
use tollgate_testkit::wait_for;

use crate::common::{Desk, resp::Resp, server::LONG};

pub(crate) const DAILY: &str = "version: 1\nrules:\n  - { name: daily, key: [user], limit: 100/day }\n  - { name: brief, match: { endpoint: /brief }, key: [user], limit: 100/min }\n";

fn alice() -> Value {
    json!({ "user_id": "alice" })
}

/// Asks without spending.
fn looking() -> Value {
    json!({ "user_id": "alice", "cost": 0 })
}

pub(crate) fn refused(desk: &Desk, words: &[&str]) -> String {
    let mut all = vec!["serve"];
    for flag in ["--http", "--grpc", "--resp", "--admin"] {
        if !words.contains(&flag) {
            all.extend([flag, "127.0.0.1:0"]);
        }
    }
    all.extend(words);
    desk.run(&all).with(1).err
}

// Proves: C1, U5
#[test]
fn long_windows_outlive_a_restart() {
    let desk = Desk::new();
    desk.write("rules.yaml", DAILY);
    let flags = ["--rules", "rules.yaml"];
    let server = desk.serve(&flags);
    let mut http = server.decisions();
    for _ in 0..30 {
        http.post("/ratelimit/check", &alice()).with(200);
    }
    let (status, log) = server.stop();
    assert!(status.success(), "{log}");

    let server = desk.serve(&flags);
    let answer = server.decisions().post("/ratelimit/check", &alice()).with(200).json();
    assert_eq!(answer["remaining"], 69);
}

// Proves: C1
#[test]
fn what_was_saved_outlives_being_killed() {
    let desk = Desk::new();
    desk.write("rules.yaml", DAILY);
    let flags = ["--rules", "rules.yaml"];
    let server = desk.serve(&flags);
    assert_eq!(server.announcement["killed_loses_at_most_s"], 10);
    let mut http = server.decisions();
    for _ in 0..30 {
        http.post("/ratelimit/check", &alice()).with(200);
    }
    let file = desk.path("tollgate-data/counters.bin");
    wait_for("the counters are saved", LONG, || file.exists().then_some(()));
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "nobody else may read it");
    for _ in 0..5 {
        http.post("/ratelimit/check", &alice()).with(200);
    }
    server.kill();

    let server = desk.serve(&flags);
    let answer = server.decisions().post("/ratelimit/check", &alice()).with(200).json();
    let left = answer["remaining"].as_u64().unwrap();
    // Of 35 that passed, those after the last save may be forgotten, never the others.
    assert!((64..=69).contains(&left), "{left}");
    assert_eq!(answer["revision"], 1);
}

#[test]
fn counters_that_cannot_be_read_are_put_aside() {
    let desk = Desk::new();
    fs::create_dir_all(desk.path("tollgate-data")).unwrap();
    desk.write("tollgate-data/counters.bin", "not counters");
    let server = desk.serve(&[]);
    let (_, log) = server.stop();
    assert!(log.contains("all start fresh"), "{log}");
    assert_eq!(desk.read("tollgate-data/counters.unreadable"), "not counters");
}

#[test]
fn a_port_that_is_taken_is_one_clear_message() {
    let desk = Desk::new();
    let server = desk.serve(&[]);
    let taken = server.http.to_string();
    let error = refused(&Desk::new(), &["--http", &taken]);
    let expected =
        format!("error: cannot listen on {taken} (--http): another process has this port");
    assert!(error.starts_with(&expected), "{error}");
    assert!(error.contains("--http HOST:PORT"), "{error}");
}

#[test]
fn one_data_folder_serves_one_server() {
    let desk = Desk::new();
    let _server = desk.serve(&[]);
    let error = refused(&desk, &[]);
    assert!(error.contains("another server uses the data folder"), "{error}");
}

#[test]
fn a_data_folder_that_cannot_be_written_is_one_clear_message() {
    let desk = Desk::new();
    desk.write("file", "");
    let error = refused(&desk, &["--data", "file/data"]);
    assert!(error.contains("cannot write to the data folder file/data (--data)"), "{error}");
    assert!(error.contains("--data DIR"), "{error}");
}

#[test]
fn a_rules_file_that_is_broken_at_the_start_is_told_with_its_places() {
    let desk = Desk::new();
    desk.write("rules.yaml", "version: 1\nrules:\n  - { name: a, key: [user], limit: 5/mni }\n");
    let error = refused(&desk, &["--rules", "rules.yaml"]);
    assert!(error.contains("rules.yaml:3:"), "{error}");
    let error = refused(&desk, &["--rules", "none.yaml"]);
    assert!(error.contains("cannot read the rules file none.yaml (--rules)"), "{error}");
}

// Proves: R7
#[test]
fn a_rules_file_that_breaks_later_changes_nothing_and_raises_an_alarm() {
    let desk = Desk::new();
    desk.write("rules.yaml", DAILY);
    let server = desk.serve(&["--rules", "rules.yaml"]);
    let mut http = server.decisions();
    let mut admin = server.administration();
    desk.write("rules.yaml", "version: 1\nrules: [{ name: a, kye: [user], limit: 5/min }]\n");
    wait_for("the alarm", LONG, || {
        let metrics = admin.get("/metrics").with(200).body;
        metrics.contains("tollgate_rules_reload_success 0").then_some(())
    });
    let answer = http.post("/ratelimit/check", &alice()).with(200).json();
    assert_eq!((&answer["rule"], &answer["revision"]), (&json!("daily"), &json!(1)));
    wait_for("the reason", LONG, || {
        let ready = admin.get("/readyz").with(200).body;
        ready.contains("kye").then_some(())
    });

    desk.write("rules.yaml", &DAILY.replace("100/day", "200/day"));
    wait_for("the new rules", LONG, || {
        let answer = http.post("/ratelimit/check", &looking()).with(200).json();
        (answer["revision"] == 2 && answer["limit"] == 200).then_some(())
    });
    wait_for("the end of the alarm", LONG, || {
        let metrics = admin.get("/metrics").with(200).body;
        metrics.contains("tollgate_rules_reload_success 1").then_some(())
    });
}

#[test]
fn a_hangup_reads_the_rules_file_again() {
    let desk = Desk::new();
    desk.write("rules.yaml", DAILY);
    let server = desk.serve(&["--rules", "rules.yaml"]);
    // The same size and time: only whoever is told reads it.
    let before = fs::metadata(desk.path("rules.yaml")).unwrap().modified().unwrap();
    desk.write("rules.yaml", &DAILY.replace("100/day", "300/day"));
    let file = fs::File::options().append(true).open(desk.path("rules.yaml")).unwrap();
    file.set_modified(before).unwrap();
    let mut http = server.decisions();
    wait_for("the new rules", LONG, || {
        server.signal(Signal::HUP);
        let answer = http.post("/ratelimit/check", &looking()).json();
        (answer["limit"] == 300).then_some(())
    });
}

/// No database and no copy of what it once said: that is not "nothing matched".
// Proves: R9
#[test]
fn without_any_rules_nothing_is_decided_and_everybody_is_told() {
    let desk = Desk::on("postgres://gate:secret@127.0.0.1:1/none");
    let server = desk.serve(&[]);
    assert_eq!(server.announcement["revision"], Value::Null);
    let mut http = server.decisions();
    let reply = http.post("/ratelimit/check", &alice()).with(503);
    assert_eq!(reply.header("retry-after"), Some("1"));
    assert!(reply.body.contains("no rules are loaded"), "{}", reply.body);
    http.get("/healthz").with(200);
    for mut http in [server.decisions(), server.administration()] {
        http.get("/readyz").with(503);
    }
    let mut redis = Resp::to(server.resp);
    let reply = redis.ask(&["TG.CHECK", "user_id", "alice"]);
    assert!(reply.starts_with("-UNAVAILABLE "), "{reply}");
    assert!(!server.log().contains("secret"), "{}", server.log());
}

/// A key of its own kind, that no rule is about.
// Proves: C1, S3
#[test]
fn keys_of_cl_throttle_outlive_a_restart() {
    let desk = Desk::new();
    let throttle = ["CL.THROTTLE", "alice", "0", "1", "86400"];
    let server = desk.serve(&[]);
    let reply = Resp::to(server.resp).ask(&throttle);
    assert!(reply.starts_with("*5\r\n:0\r\n"), "{reply}");
    assert!(server.stop().0.success());
    let server = desk.serve(&[]);
    let reply = Resp::to(server.resp).ask(&throttle);
    assert!(reply.starts_with("*5\r\n:1\r\n"), "{reply}");
}
