//! API keys, quotas, blocks, tokens and the audit from the command line.

use serde_json::json;
use tollgate_testkit::wait_for;

use crate::common::{
    Desk, Ran, fields,
    server::{LONG, Server},
};

fn run(desk: &Desk, server: &Server, line: &str) -> Ran {
    let admin = server.admin.to_string();
    let mut words: Vec<&str> = line.split_whitespace().collect();
    words.extend(["--admin", &admin]);
    desk.run(&words)
}

/// Runs a command that may be repeated until the node knows: it waits 2 s for that, and then ends with 2.
fn until_known(desk: &Desk, server: &Server, line: &str) -> Ran {
    wait_for("the node knows", LONG, || {
        let ran = run(desk, server, line);
        (ran.code != Some(2)).then_some(ran)
    })
}

/// It is done, whether the node has said so within 2 s or not.
#[track_caller]
fn done(ran: Ran) -> Ran {
    assert!(matches!(ran.code, Some(0 | 2)), "{ran:#?}");
    ran
}

// Proves: I2
#[test]
fn the_life_of_a_key() {
    let desk = Desk::new();
    let server = desk.serve(&[]);
    run(&desk, &server, "api-keys list").fine().says("no API key was issued");
    let made = run(
        &desk,
        &server,
        "api-keys create billing --user acme --limit 10/s --limit 1000/day --burst 20 --json",
    );
    let key = made.fine().json();
    let id = key["id"].as_str().unwrap();
    assert_eq!(key["limits"], json!(["10/s", "1000/day"]));
    assert!(key["key"].as_str().unwrap().starts_with("tgk_"));
    run(&desk, &server, "api-keys list --user acme").fine().says("billing");
    run(&desk, &server, &format!("api-keys show {id}")).fine().says("0 allowed, 0 denied");
    run(&desk, &server, &format!("api-keys rename {id} billing-2")).fine().says("is billing-2 now");
    run(&desk, &server, &format!("api-keys rotate {id} --grace 24h"))
        .fine()
        .says("it is not shown again");
    let line = format!("api-keys revoke {id} --reason leak");
    until_known(&desk, &server, &line).fine().says("is revoked, known to 1 of 1 nodes");
    let refused = run(&desk, &server, &format!("api-keys rotate {id}")).with(1);
    assert!(refused.err.contains("was revoked"), "{}", refused.err);
    let wrong = run(&desk, &server, "api-keys create other --limit 0/s").with(1);
    assert!(wrong.err.contains("limits a limit of 0"), "{}", wrong.err);
    let wrong = run(&desk, &server, "api-keys create other --tier gold --json").with(1).json();
    assert_eq!(wrong["answer"]["errors"][0]["path"], "tier");
    let audit = run(&desk, &server, &format!("audit --object {id} --json")).fine();
    let rows: Vec<serde_json::Value> =
        audit.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 4, "{}", audit.out);
    assert_eq!(rows[0]["reason"], "leak");
}

// Proves: I3, I6
#[test]
fn quotas_and_blocks() {
    let desk = Desk::new();
    let server = desk.serve(&[]);
    run(&desk, &server, "quotas list").fine().says("no quotas");
    let line = "quotas set team/alice --tier premium --limit 7/min";
    until_known(&desk, &server, line)
        .fine()
        .says("team/alice: tier premium, limits 7/min, known to 1 of 1 nodes");
    let line = "block --user team/alice --reason unpaid --for 1h";
    until_known(&desk, &server, line).fine().says("is blocked until");
    let shown = run(&desk, &server, "quotas show team/alice").fine();
    assert!(shown.out.contains("unpaid") && shown.out.contains("premium"), "{}", shown.out);
    until_known(&desk, &server, "block --ip 203.0.113.7/24")
        .fine()
        .says("ip 203.0.113.0/24 is blocked, known to 1 of 1 nodes");
    let blocks = run(&desk, &server, "blocks --json").fine().json();
    assert_eq!(blocks["blocks"].as_array().unwrap().len(), 2);
    done(run(&desk, &server, "unblock --ip 203.0.113.0/24")).says("is not blocked any more");
    done(run(&desk, &server, "unblock --user team/alice"));
    run(&desk, &server, "unblock --user team/alice").with(1).says("there is no such block");
    run(&desk, &server, "unblock --ip 0.0.0.0/0")
        .with(1)
        .says("ip is wider than a block may be: the widest are a /8");
    let line = "block --org team --until 2199-05-03";
    until_known(&desk, &server, line)
        .fine()
        .says("org_id team is blocked until 2199-05-04T00:00:00Z");
    done(run(&desk, &server, "unblock --org team"));
    run(&desk, &server, "block --org team --until tomorow")
        .with(1)
        .says("--until: \"tomorow\" is not a moment");
    run(&desk, &server, "blocks").fine().says("nobody is blocked");
    done(run(&desk, &server, "quotas remove team/alice")).says("team/alice has no quota any more");
    run(&desk, &server, "quotas show team/alice").with(1);
    run(&desk, &server, "block").with(1);
    run(&desk, &server, "block --user a --org b").with(1);
}

// Proves: I5, O2
#[test]
fn tokens_and_who_was_turned_away() {
    let desk = Desk::new();
    let server = desk.serve(&[]);
    let made = run(&desk, &server, "tokens create vera --role viewer --json").fine().json();
    let (id, token) = (made["id"].as_str().unwrap(), made["token"].as_str().unwrap());
    assert!(fields(&made).contains(&"begins"));
    desk.write("token", token);
    wait_for("the token is known", LONG, || {
        let listed = run(&desk, &server, "api-keys list --token-file token");
        (listed.code == Some(0)).then_some(())
    });
    let refused = run(&desk, &server, "api-keys create x --token-file token").with(1);
    assert!(
        refused.err.contains("the role viewer does not allow it: api-keys is needed"),
        "{}",
        refused.err
    );
    wait_for("the refusal on record", LONG, || {
        let audit = run(&desk, &server, "audit --actor vera").fine();
        audit.out.contains("refused").then_some(())
    });
    until_known(&desk, &server, &format!("tokens revoke {id}")).fine().says("is revoked");
    run(&desk, &server, "tokens list").fine().says("revoked");
    let gone = run(&desk, &server, "api-keys list --token-file token").with(1);
    assert!(gone.err.contains("the token was revoked"), "{}", gone.err);
    let wrong = run(&desk, &server, "tokens create x --role root").with(1);
    assert!(wrong.err.contains("is no role"), "{}", wrong.err);
    server.kill();
    let away = desk.run(&["tokens", "list", "--admin", "127.0.0.1:1"]).with(1);
    assert!(away.err.contains("is `tollgate serve` running?"), "{}", away.err);
}
