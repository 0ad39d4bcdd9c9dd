//! What Prometheus finds.
// Proves: O1

use serde_json::json;

use crate::common::{Desk, server::Server};

pub(crate) fn scrape(server: &Server) -> String {
    let reply = server.administration().get("/metrics").with(200);
    assert_eq!(
        reply.header("content-type"),
        Some("application/openmetrics-text; version=1.0.0; charset=utf-8")
    );
    reply.body
}

#[track_caller]
fn value(scrape: &str, series: &str) -> f64 {
    let line = scrape.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    let value = line.unwrap_or_else(|| panic!("no {series} in\n{scrape}"));
    value.parse().unwrap()
}

#[test]
fn decisions_of_both_protocols_are_counted_once() {
    let desk = Desk::new();
    desk.write("rules.yaml", "version: 1\nrules: [{ name: hello, key: [user], limit: 5/day }]\n");
    let flags = ["--rules", "rules.yaml", "--node", "n1", "--region", "eu"];
    let server = desk.serve(&flags);
    let mut http = server.decisions();
    let alice = json!({ "user_id": "alice", "endpoint": "/hello" });
    for _ in 0..4 {
        http.post("/ratelimit/check", &alice);
    }
    let mut redis = crate::common::resp::Resp::to(server.resp);
    for _ in 0..3 {
        redis.ask(&["TG.CHECK", "user_id", "alice", "endpoint", "/hello"]);
    }
    let text = scrape(&server);
    let decisions = |outcome: &str| {
        let labels = format!("{{rule=\"hello\",outcome=\"{outcome}\"}}");
        value(&text, &format!("tollgate_decisions_total{labels}"))
    };
    assert_eq!(decisions("allowed") + decisions("warned"), 5.0);
    assert_eq!(decisions("denied"), 2.0);
    let answered = |protocol: &str| {
        let series = format!("tollgate_decision_duration_seconds_count{{protocol=\"{protocol}\"}}");
        value(&text, &series)
    };
    assert_eq!((answered("http"), answered("resp")), (4.0, 3.0));
    assert_eq!(value(&text, "tollgate_node_info{node=\"n1\",region=\"eu\"}"), 1.0);
    assert_eq!(value(&text, "tollgate_connections{protocol=\"http\"}"), 1.0);
    assert!(value(&text, "tollgate_keys") >= 1.0);
    assert!(value(&text, "tollgate_memory_bytes") > 1e6);
}
