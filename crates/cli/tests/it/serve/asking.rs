//! `tollgate check` and `tollgate explain`, of a server and without one.
// Proves: O6, O8

use std::{fs::Permissions, net::TcpListener, os::unix::fs::PermissionsExt as _};

use serde_json::json;
use tollgate_testkit::{free_address, jwt::Signer, wait_for};

use crate::common::{Desk, fields, server::LONG};

const RULES: &str = "version: 1
rules:
  - { name: login, match: { endpoint: /login, method: [POST] }, key: [\"user|ip\"], limit: 2/h, response: { message: slow down } }
  - { name: banned, match: { attributes: { plan: none } }, action: block }
";

#[test]
fn a_check_says_what_the_server_says() {
    let desk = Desk::new();
    desk.write("rules.yaml", RULES);
    let server = desk.serve(&["--rules", "rules.yaml"]);
    let http = server.http.to_string();
    let check = |words: &[&str]| {
        let mut all = vec!["check", "--http", &http];
        all.extend(words);
        desk.run(&all)
    };
    let login = ["user_id=alice", "endpoint=/login", "method=POST"];
    check(&login).fine().says("allowed by login, 1 of 2 left");
    // A look says what charging would say, as often as one looks.
    for _ in 0..2 {
        check(&[&login[..], &["--peek"]].concat()).fine().says("0 of 2 left");
    }
    check(&[&login[..], &["cost=1"]].concat()).fine().says("0 of 2 left");
    let denied = check(&login).with(2).says("denied by login, 0 of 2 left, try again in");
    denied.says("slow down").says("decision ");
    let json = check(&[&login[..], &["--json"]].concat()).with(2).json();
    assert_eq!((&json["allowed"], &json["rule"]), (&false.into(), &"login".into()));
    check(&["user_id=bob", "attributes.plan=none"])
        .with(2)
        .says("denied by banned: the rule blocks it");
    check(&["user_id=bob"]).fine().says("allowed: no rule limits it");
    check(&["ip=nonsense"]).with(1).says("the server answered 400");
    check(&["user=bob", "org=acme"]).fine().says("allowed: no rule limits it");
    check(&["usr=bob"]).with(1).says("there is no field \"usr\"");
    check(&["user=a", "user_id=b"]).with(1).says("user_id is given twice");
    check(&["user_id=a", "user_id=b"]).with(1).says("user_id is given twice");
    check(&["alice"]).with(1).says("write FIELD=VALUE");
    check(&[]).with(1).says("FIELD=VALUE");
}

/// What `check` says of a caller that is blocked, and of one that `on_failure` denies.
#[test]
fn a_check_says_why_it_is_denied() {
    let desk = Desk::new();
    desk.write("rules.yaml", AWAY);
    let redis = format!("redis://{}", free_address());
    let server = desk.serve(&["--rules", "rules.yaml", "--redis", &redis]);
    let (http, admin) = (server.http.to_string(), server.admin.to_string());
    let check = |fact: &str| desk.line(&format!("check {fact} --http {http} --admin {admin}"));
    check("user_id=alice")
        .with(2)
        .says("denied by login: Redis is away, or the counters are too full, on_failure: closed, 0 of 8 left");
    for (option, fact, words) in [
        ("--ip 203.0.113.9", "ip=203.0.113.9", "address 203.0.113.9 is blocked: stuffing"),
        ("--user eve", "user_id=eve", "user eve is blocked: stuffing"),
    ] {
        let block = format!("block {option} --reason stuffing --ttl 1h --admin {admin}");
        desk.line(&block).fine();
        check(fact).with(2).says(&format!("denied: {words}, try again in "));
        desk.line(&format!("explain {fact} --admin {admin}")).fine().says("is blocked: stuffing");
    }
    // The admin side alone knows the reason of a block.
    desk.line(&format!("check user_id=eve --http {http} --admin {}", free_address()))
        .with(2)
        .says("denied: the caller is blocked; `tollgate explain`");
}

const AWAY: &str = "version: 1
rules:
  - { name: login, key: [user], limit: 8/h, consistency: exact, on_failure: closed }
";

/// A client's token or API key is read as the server reads it.
#[test]
fn a_check_and_an_explanation_take_what_a_client_shows() {
    let desk = Desk::new();
    desk.write("rules.yaml", SHOWN);
    desk.write("secret", JWT_SECRET);
    std::fs::set_permissions(desk.path("secret"), Permissions::from_mode(0o600)).unwrap();
    let jwt = ["--jwt-algorithms", "HS256", "--jwt-secret-file", "secret"];
    let server = desk.serve(&[&["--rules", "rules.yaml"], &jwt[..]].concat());
    let (http, admin) = (server.http.to_string(), server.admin.to_string());
    let made = format!("api-keys create mobile --user bob --tier premium --admin {admin} --json");
    let key = desk.line(&made).fine().json()["key"].as_str().unwrap().to_owned();
    // The node hears of a key a moment after it was issued.
    let look = format!("check token={key} --peek --http {http}");
    wait_for("the key", LONG, || (desk.line(&look).code == Some(0)).then_some(()));
    let claims = json!({ "sub": "alice", "tier": "premium", "exp": 4_102_444_800_u64 });
    let token = Signer::hs256(JWT_SECRET).token(&claims);
    for (shown, user) in [(&token, "alice"), (&key, "bob")] {
        let at = format!("--http {http} --admin {admin}");
        desk.line(&format!("check token={shown} {at}")).fine().says("allowed by paid");
        let told = desk.line(&format!("explain token={shown} --admin {admin}")).fine();
        told.says("tier premium").says("+ paid");
        desk.line(&format!("explain token={shown} user_id={user} --admin {admin}")).fine();
        desk.line(&format!("explain token={shown} user_id=carol --admin {admin}"))
            .with(1)
            .says("`user_id` is one thing by");
    }
    let forged = Signer::hs256("another secret of thirty-two characters").token(&claims);
    for command in [format!("check --http {http}"), format!("explain --admin {admin}")] {
        desk.line(&format!("{command} token={forged}")).with(1).says("signature");
    }
    desk.line(&format!("explain token={token} --rules rules.yaml"))
        .with(1)
        .says("only a running server reads a token");
}

const JWT_SECRET: &str = "a secret of at least thirty-two characters";
const SHOWN: &str = "version: 1
rules:
  - { name: paid, match: { tier: premium }, key: [user], limit: 2/h }
";

#[test]
fn an_explanation_is_the_same_with_and_without_a_server() {
    let desk = Desk::new();
    desk.write("rules.yaml", RULES);
    let server = desk.serve(&["--rules", "rules.yaml"]);
    let admin = server.admin.to_string();
    let facts = ["user_id=alice", "endpoint=/login", "method=GET"];
    let explain = |words: &[&str]| {
        let mut all = vec!["explain"];
        all.extend(facts);
        all.extend(words);
        desk.run(&all)
    };
    let asked = explain(&["--admin", &admin]).fine();
    let asked = asked.says("- login: does not match").says("without Redis every consistency mode");
    let rules = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| line.starts_with(['+', '-', '!']));
        lines.map(str::to_owned).collect()
    };
    let from_file = explain(&["--rules", "rules.yaml"]).fine();
    assert_eq!(rules(&from_file.out), rules(&asked.out));
    let from_data = explain(&["--data", "tollgate-data"]).fine();
    assert_eq!(rules(&from_data.out), rules(&asked.out));
    let json = explain(&["--rules", "rules.yaml", "--json"]).fine().out;
    let here: serde_json::Value = serde_json::from_str(&json).unwrap();
    let there = explain(&["--admin", &admin, "--json"]).fine().json();
    assert_eq!(fields(&here), fields(&there));
    assert_eq!(here["rules"], there["rules"]);
}

/// An override of the catalog counts in an explanation from it.
#[test]
fn an_override_is_explained() {
    let desk = Desk::new();
    desk.run_on(&["rules", "apply", "-"], RULES).fine();
    desk.line("overrides set --rule login --key user=alice --limit 500/h").fine();
    let facts = "user_id=alice endpoint=/login method=POST";
    let told = desk.line(&format!("explain --data tollgate-data {facts}")).fine();
    told.says("500/h").says("by override");
}

#[test]
fn a_token_is_shown_where_one_is_asked_for() {
    let desk = Desk::new();
    desk.write("token", "correct-horse-battery-staple");
    let server = desk.serve(&["--token-file", "token"]);
    let admin = server.admin.to_string();
    let line = format!("explain user_id=alice --admin {admin}");
    desk.line(&line).with(1).says("the server answered 401").says("token");
    desk.line(&format!("{line} --token-file token")).fine();
    let words: Vec<&str> = line.split(' ').collect();
    let mut command = desk.command(&words);
    let output = command.env("TOLLGATE_TOKEN", "correct-horse-battery-staple").output().unwrap();
    assert!(output.status.success());
    desk.line(&format!("{line} --token-file none")).with(1).says("cannot read the token in none");
}

#[test]
fn no_server_is_told_apart_from_another_one() {
    let desk = Desk::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        use std::io::{Read as _, Write as _};
        for stream in listener.incoming().take(2) {
            let mut stream = stream.unwrap();
            let read = stream.read(&mut [0; 4096]).unwrap();
            assert!(read > 0);
            let reply =
                "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\nConnection: close\r\n\r\nnope";
            stream.write_all(reply.as_bytes()).unwrap();
        }
    });
    let line = format!("check user_id=a --http {address}");
    desk.line(&line).with(1).says("answered 404 without JSON, so it is no Tollgate");
    let line = format!("explain user_id=a --admin {address}");
    desk.line(&line).with(1).says("no Tollgate");
    let line = format!("check user_id=a --http {}", free_address());
    desk.line(&line).with(1).says("is `tollgate serve` running?");
}
