//! More keys than a server has room for.
// Proves: C1, O1

use serde_json::json;
use tollgate_testkit::wait_for;

use super::metrics::scrape;
use crate::common::{Desk, server::LONG};

const RULES: &str = "version: 1\nrules: [{ name: signup, key: [user], limit: 1/day }]\n";

#[test]
fn readiness_the_log_and_metrics_name_the_rule_that_overflows() {
    let desk = Desk::new();
    desk.write("rules.yaml", RULES);
    let room = ["--keys-max", "1000", "--overflow-bytes", "1048576"];
    let server = desk.serve(&[&["--rules", "rules.yaml"], &room[..]].concat());
    let mut http = server.decisions();
    for user in 0..5_000 {
        let facts = json!({ "user_id": format!("user-{user}") });
        http.post("/ratelimit/check", &facts).with(200);
    }
    let words = "keys of \"signup\": 0.";
    let ready = wait_for("a warning of readiness", LONG, || {
        let ready = server.decisions().get("/readyz").with(200).json();
        let warnings = ready["warnings"].to_string().replace("\\\"", "\"");
        warnings.contains(words).then_some(ready)
    });
    assert_eq!(ready["degraded"], json!([]));
    let text = scrape(&server);
    let keys =
        text.lines().find_map(|line| line.strip_prefix("tollgate_overflow_keys{rule=\"signup\"} "));
    let keys: f64 = keys.unwrap().parse().unwrap();
    assert!(keys > 2_000.0, "{keys}");
    assert!(text.contains("tollgate_overflow_odds{rule=\"signup\"} 0"), "{text}");
    http.post("/ratelimit/check", &json!({ "user_id": "user-0" })).with(429);
    let (_, log) = server.stop();
    let told = log.lines().filter(|line| line.contains("The table of counters is full"));
    assert_eq!(told.count(), 1, "{log}");
}
