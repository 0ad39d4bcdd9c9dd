//! Tiers that nothing names.
// Proves: R4

use serde_json::json;
use tollgate_testkit::{jwt::Signer, wait_for};

use crate::common::{
    Desk,
    server::{LONG, Server},
};

const RULES: &str = "version: 1
rules:
  - { name: free, match: { tier: free }, key: [user], limit: 2/h }
  - { name: premium, match: { tier: premium }, key: [user], limit: 100/h }
";
const SECRET: &str = "a secret of at least thirty-two characters";

fn server(desk: &Desk, policy: &[&str]) -> Server {
    desk.write("rules.yaml", RULES);
    let rules = ["--rules", "rules.yaml", "--jwt-algorithms", "HS256"];
    let mut command = desk.command(&["serve", "--json"]);
    for flag in ["--http", "--grpc", "--resp", "--admin"] {
        command.args([flag, "127.0.0.1:0"]);
    }
    command.args(rules).args(policy);
    command.env("TOLLGATE_JWT_SECRET", SECRET);
    Server::start(command)
}

fn token(user: &str, tier: &str) -> String {
    let claims = json!({ "sub": user, "tier": tier, "exp": 4_102_444_800_u64 });
    Signer::hs256(SECRET).token(&claims)
}

/// `(status, rule, reason)` of a check.
fn checked(server: &Server, facts: &serde_json::Value) -> (u16, String, String) {
    let reply = server.decisions().post("/ratelimit/check", facts);
    let json = reply.json();
    let text = |name: &str| json[name].as_str().unwrap_or("none").to_owned();
    (reply.status, text("rule"), text("reason"))
}

fn decided(status: u16, rule: &str, reason: &str) -> (u16, String, String) {
    (status, rule.to_owned(), reason.to_owned())
}

#[test]
fn a_token_with_a_made_up_tier_is_limited_as_the_default() {
    let desk = Desk::new();
    let server = server(&desk, &[]);
    let by_token = json!({ "token": token("alice", "gold") });
    let stated = json!({ "user_id": "alice", "tier": "gold" });
    assert_eq!(checked(&server, &by_token), decided(200, "free", "allowed"));
    assert_eq!(checked(&server, &stated), decided(200, "free", "allowed"));
    for facts in [&by_token, &stated, &json!({ "user_id": "alice", "tier": "silver" })] {
        assert_eq!(checked(&server, facts), decided(429, "free", "throttled"));
    }
    let paid = json!({ "token": token("alice", "premium") });
    assert_eq!(checked(&server, &paid), decided(200, "premium", "allowed"));
    // Each name is one line, however often it comes.
    let lines = |tier: &str| {
        let log = server.log();
        let named = format!("tier=\"{tier}\"");
        log.lines().filter(|line| line.contains(&named)).count()
    };
    wait_for("a line for each name", LONG, || {
        (lines("gold") == 1 && lines("silver") == 1).then_some(())
    });
    let metrics = server.administration().get("/metrics").body;
    assert!(metrics.contains("tollgate_unknown_tier_total 5"), "{metrics}");
    let explained = format!("explain user_id=a tier=gold --admin {}", server.admin);
    desk.line(&explained).fine().says("tier free (the request states gold, which nothing names");
}

#[test]
fn a_made_up_tier_can_be_kept_or_refused() {
    let desk = Desk::new();
    let gold = json!({ "token": token("alice", "gold") });
    let keeping = server(&desk, &["--unknown-tier", "keep"]);
    assert_eq!(checked(&keeping, &gold), decided(200, "none", "allowed"));
    drop(keeping);
    let refusing = server(&desk, &["--unknown-tier", "refuse"]);
    let refused = decided(403, "none", "unknown-tier");
    assert_eq!(checked(&refusing, &gold), refused);
    desk.line(&format!("check user_id=a tier=gold --http {}", refusing.http))
        .with(2)
        .says("denied: no rule, tier or API key names its tier");
    let free = json!({ "user_id": "alice", "tier": "free" });
    assert_eq!(checked(&refusing, &free), decided(200, "free", "allowed"));
}
