//! `tollgate status` and `tollgate nodes` against a running server.

use serde_json::json;
use tollgate_testkit::wait_for;

use crate::common::{Desk, server::LONG};

const RULES: &str = "version: 1\nrules: [{ name: mine, key: [user], limit: 7/h }]\n";

// Proves: R11
#[test]
fn status_says_how_a_server_is() {
    let desk = Desk::new();
    let server = desk.serve(&["--no-demo", "--node", "gate-1"]);
    let admin = server.admin.to_string();
    let none = desk.run(&["status", "--admin", &admin]).fine().out;
    let warning = "warning    no rules are in force: every request passes";
    for line in [
        "node       gate-1, region ",
        "rules      revision 0 is in force",
        &format!("admin {admin}"),
        "redis      none: counters are in the node's memory",
        warning,
        "gate-1 (this)  live ",
    ] {
        assert!(none.contains(line), "{line}: {none}");
    }
    desk.write("rules.yaml", RULES);
    desk.line("rules apply rules.yaml --wait 60").fine();
    let some = desk.run(&["status", "--admin", &admin]).fine().out;
    assert!(some.contains("rules      revision 1 is in force"), "{some}");
    assert!(!some.contains("warning"), "{some}");
    let told = desk.run(&["status", "--json", "--admin", &admin]).fine().json();
    assert_eq!((&told["well"], &told["revision"]), (&json!(true), &json!(1)));
    assert_eq!(told["listeners"]["http"], server.http.to_string());
    assert_eq!(told["nodes"][0]["id"], "gate-1");
    let nodes = desk.run(&["nodes", "--admin", &admin]).fine().out;
    assert!(nodes.starts_with("newest revision: 1\nNODE "), "{nodes}");
    let listed = desk.run(&["nodes", "--json", "--admin", &admin]).fine().json();
    assert_eq!((&listed["revision"], &listed["this"]), (&json!(1), &json!("gate-1")));
}

/// A rules file that cannot be read any more leaves the former rules in force.
// Proves: R11
#[test]
fn a_degraded_server_is_told_apart_from_none() {
    let desk = Desk::new();
    desk.write("rules.yaml", RULES);
    let server = desk.serve(&["--rules", "rules.yaml"]);
    let admin = server.admin.to_string();
    desk.run(&["status", "--admin", &admin]).fine();
    desk.write("rules.yaml", "version: 1\nrules: [{ name: }]\n");
    let degraded = wait_for("a degraded server", 2 * LONG, || {
        let ran = desk.run(&["status", "--admin", &admin]);
        (ran.code == Some(2)).then_some(ran)
    });
    assert!(degraded.out.contains("degraded   "), "{degraded:?}");
    let told = desk.run(&["status", "--json", "--admin", &admin]);
    assert_eq!(told.code, Some(2));
    server.stop();
    for command in ["status", "nodes"] {
        let none = desk.run(&[command, "--admin", &admin]);
        assert_eq!(none.code, Some(1), "{none:?}");
        assert!(none.err.contains("no server at"), "{none:?}");
    }
}
