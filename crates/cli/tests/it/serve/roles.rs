//! Who may do what over real sockets, held against the manual's tables.

use serde_json::{Value, json};

use crate::common::{Desk, http::Http, resp::Resp, server::Server};

const PAGE: &str = include_str!("../../../../../docs/reference/roles.md");
const ROLES: [&str; 4] = ["viewer", "operator", "admin", "automation"];

/// A token of this role, as the admin side issues it.
fn token(server: &Server, role: &str) -> (String, String) {
    let wanted = json!({ "name": format!("{role}-1"), "role": role });
    let made = server.administration().post("/ratelimit/tokens?wait=30s", &wanted).with(201).json();
    let text = |name: &str| made[name].as_str().unwrap().to_owned();
    (text("id"), text("token"))
}

/// The rows of a table of the manual whose first cell is meant: who may, in the order of the roles.
fn rows(is_meant: impl Fn(&str) -> bool) -> Vec<(String, [bool; 4])> {
    let lines = PAGE.lines().filter(|line| line.starts_with("| `"));
    let rows = lines.filter_map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let name = cells[0].trim_matches('`').to_owned();
        (cells.len() == 6 && is_meant(&name))
            .then(|| (name, [2, 3, 4, 5].map(|at| cells[at] == "yes")))
    });
    rows.collect()
}

fn words(command: &str) -> Vec<&str> {
    match command {
        "CL.THROTTLE" => vec![command, "key", "10", "10", "60"],
        "TG.CHECK" | "TG.DECIDE" | "TG.PEEK" | "TG.RESET" => vec![command, "user_id", "alice"],
        "TG.REFUND" => vec![command, "user_id", "alice", "cost", "1"],
        "ECHO" | "TG.CALLER" => vec![command, "hello"],
        "SELECT" => vec![command, "0"],
        "CLIENT" => vec![command, "ID"],
        "CONFIG" => vec![command, "GET", "maxmemory"],
        other => vec![other],
    }
}

fn is_refused(reply: &str) -> bool {
    reply.starts_with("-NOPERM") || reply.starts_with("-NOAUTH")
}

// Proves: I5
#[test]
fn every_command_in_every_role_is_as_the_manual_says() {
    let desk = Desk::new();
    let server = desk.serve(&[]);
    let commands = rows(|name| !name.contains('/') && name.chars().any(char::is_uppercase));
    assert_eq!(commands.len(), 18, "{commands:?}");
    for (at, role) in ROLES.iter().enumerate() {
        let (id, token) = token(&server, role);
        for (command, may) in &commands {
            if command == "AUTH" {
                continue;
            }
            let mut client = Resp::to(server.resp);
            assert_eq!(client.ask(&["AUTH", &token]), "+OK\r\n", "{role}");
            let reply = client.ask(&words(command));
            assert_eq!(!is_refused(&reply), may[at], "{command} as {role}: {reply}");
        }
        let mut client = Resp::to(server.resp);
        assert_eq!(client.ask(&["AUTH", &token]), "+OK\r\n");
        let path = format!("/ratelimit/tokens/{id}/revoke?wait=30s");
        server.administration().ask("POST", &path, &[], "").with(200);
        let late = client.ask(&words("TG.RESET"));
        assert!(late.starts_with("-NOAUTH the token was revoked"), "{late}");
        assert!(client.ask(&["AUTH", &token]).starts_with("-WRONGPASS"));
        assert!(client.ask(&words("TG.CHECK")).starts_with('*'), "everybody may ask");
    }
}

// Proves: I5
#[test]
fn refund_and_reset_over_http_ask_for_the_same() {
    let desk = Desk::new();
    let server = desk.serve(&[]);
    let endpoints =
        rows(|name| ["POST /ratelimit/refund", "POST /ratelimit/reset"].contains(&name));
    assert_eq!(endpoints.len(), 2);
    for (at, role) in ROLES.iter().enumerate() {
        let bearer = format!("Bearer {}", token(&server, role).1);
        for (endpoint, may) in &endpoints {
            let path = endpoint.strip_prefix("POST ").unwrap();
            let facts = json!({ "user_id": "alice", "cost": 1 });
            let mut facts = facts.clone();
            if path.ends_with("reset") {
                facts.as_object_mut().unwrap().remove("cost");
            }
            let reply =
                server.decisions().send("POST", path, &[("Authorization", &bearer)], &facts);
            assert_eq!(reply.status == 200, may[at], "{path} as {role}: {}", reply.body);
        }
    }
}

/// Sends as somebody, and gives the status.
fn status(http: &mut Http, bearer: &str, method: &str, path: &str, body: &Value) -> u16 {
    http.send(method, path, &[("Authorization", bearer), ("If-Match", "*")], body).status
}

/// The four of them at work, as the issue has it.
// Proves: I5, R12
#[test]
fn support_looks_operators_help_automation_grants_and_admins_change() {
    let desk = Desk::new();
    let server = desk.serve(&["--admin-auth", "required", "--override-factor-max", "2x"]);
    let first = desk.read("tollgate-data/first-token");
    let first = format!("Bearer {}", first.trim());
    let mut http = server.administration();
    http.get("/ratelimit/rules").with(401);
    let made = |role: &str| {
        let wanted = json!({ "name": role, "role": role });
        let mut http = server.administration();
        let made =
            http.send("POST", "/ratelimit/tokens?wait=30s", &[("Authorization", &first)], &wanted);
        format!("Bearer {}", made.with(201).json()["token"].as_str().unwrap())
    };
    let [viewer, operator, admin, automation] = ROLES.map(made);
    let rule = json!({ "name": "login", "match": { "endpoint": "/login" }, "key": ["user"], "limit": "5/min" });
    let raised = |factor: &str| json!({ "rule": "login", "key": { "user": "acme" }, "factor": factor, "until": in_an_hour() });
    let (rules, overrides) = ("/ratelimit/rules", "/ratelimit/overrides");
    let block = json!({ "user_id": "mallory", "ttl": "1h" });
    for (who, path, body, wanted) in [
        (&viewer, rules, &rule, 403),
        (&operator, rules, &rule, 403),
        (&automation, rules, &rule, 403),
        (&admin, rules, &rule, 201),
        (&viewer, overrides, &raised("2x"), 403),
        (&operator, overrides, &raised("2x"), 201),
        (&automation, overrides, &raised("2x"), 201),
        (&automation, overrides, &raised("3x"), 403),
        (&operator, overrides, &raised("3x"), 403),
        (&admin, overrides, &raised("3x"), 201),
        (&viewer, "/ratelimit/blocks", &block, 403),
        (&automation, "/ratelimit/blocks", &block, 403),
        (&operator, "/ratelimit/blocks", &block, 201),
    ] {
        assert_eq!(status(&mut http, who, "POST", path, body), wanted, "{path} {body}");
    }
    assert_eq!(status(&mut http, &automation, "GET", overrides, &json!(null)), 200);
    assert_eq!(status(&mut http, &automation, "GET", rules, &json!(null)), 403);
    let again = server.stop();
    assert!(again.0.success());
    let second = desk.serve(&[]);
    assert_eq!(second.announcement["first_token_file"], Value::Null, "it is made once");
}

fn in_an_hour() -> String {
    let now = std::process::Command::new("date")
        .args(["-u", "-d", "1 hour", "+%Y-%m-%dT%H:%M:%SZ"])
        .output();
    String::from_utf8(now.unwrap().stdout).unwrap().trim().to_owned()
}
