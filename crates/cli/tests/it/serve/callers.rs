//! Callers that name themselves, over both protocols.
// Proves: U4, L2

use serde_json::{Value, json};
use tollgate_testkit::wait_for;

use crate::common::{
    Desk,
    http::Http,
    resp::Resp,
    server::{LONG, Server},
};

const RULES: &str = "version: 1
rules:
  - { name: login, match: { endpoint: /login }, key: [\"user|ip\"], limit: { per: 10/s, burst: 20 } }
";

fn check(http: &mut Http, caller: &str) -> (Option<String>, Value) {
    let asked = json!({ "ip": "2001:db8::7", "endpoint": "/login", "cost": 0 });
    let named = [("Tollgate-Caller", caller)];
    let reply = http.send("POST", "/ratelimit/check", &named, &asked).with(200);
    let callers = reply.header("tollgate-callers").map(str::to_owned);
    (callers, reply.json()["limits"][0].clone())
}

fn gauge(server: &Server) -> String {
    let scrape = server.administration().get("/metrics").with(200).body;
    let line = scrape.lines().find_map(|line| line.strip_prefix("tollgate_callers "));
    line.unwrap().to_owned()
}

#[test]
fn both_protocols_count_them_together_and_tell_them_the_limits() {
    let desk = Desk::new();
    desk.write("rules.yaml", RULES);
    let server = desk.serve(&["--rules", "rules.yaml"]);
    let (mut one, mut again) = (server.decisions(), server.decisions());
    let (callers, limit) = check(&mut one, "one");
    assert_eq!(callers.as_deref(), Some("1"));
    assert_eq!(
        (&limit["per"], &limit["burst"], &limit["key"]),
        (&"10/s".into(), &20.into(), &json!(["ip/64"]))
    );
    assert_eq!(limit["algorithm"], "token_bucket");
    assert_eq!(check(&mut again, "one").0.as_deref(), Some("1"));
    let mut other = Resp::to(server.resp);
    assert_eq!(other.ask(&["TG.CALLER", "other"]), ":2\r\n");
    assert_eq!(check(&mut one, "one").0.as_deref(), Some("2"));
    let told = other.ask(&["TG.DECIDE", "user_id", "ann", "endpoint", "/login"]);
    assert!(
        told.starts_with("*12\r\n:1\r\n:20\r\n:19\r\n") && told.contains("\r\n:2\r\n*1\r\n*10\r\n"),
        "{told}"
    );
    assert_eq!(gauge(&server), "2");
    drop((one, other));
    wait_for("the caller that hung up is forgotten", LONG, || {
        (gauge(&server) == "1").then_some(())
    });
    drop(again);
    wait_for("nobody is left", LONG, || (gauge(&server) == "0").then_some(()));
    let usual = server
        .decisions()
        .post("/ratelimit/check", &json!({ "user_id": "ann", "endpoint": "/login" }));
    assert_eq!(usual.header("tollgate-callers"), None);
    assert_eq!(usual.json()["limits"][0]["per"], Value::Null);
}
