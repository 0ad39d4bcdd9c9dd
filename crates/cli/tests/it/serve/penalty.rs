//! Waits that grow for whoever does not wait.
// Proves: U3, I6

use serde_json::json;
use tollgate_core::{Clock as _, SystemClock};

use crate::common::{Desk, http::Http};

const RULES: &str = "version: 1
rules: [{ name: login, key: [user], limit: 1/day }]
";
/// How long it takes until a denial is forgiven.
const FORGIVEN_AFTER_US: u64 = 6_000_000;

#[test]
fn whoever_keeps_asking_waits_longer_and_is_told_how_often_it_asked() {
    let desk = Desk::new();
    // A bucket, whose wait is never longer than a minute.
    desk.write("rules.yaml", &RULES.replace("1/day", "{ per: 1/min, burst: 1 }"));
    let server = desk.serve(&["--rules", "rules.yaml", "--penalty", "on"]);
    let mut http = Http::to(server.http);
    let mut ask = |user: &str| http.post("/ratelimit/check", &json!({ "user_id": user }));
    assert_eq!(ask("ann").status, 200);
    let begun = SystemClock.now().steady;
    for number in 1..=18_u64 {
        let asked_s = SystemClock.now().wall.as_micros() / 1_000_000;
        let denied = ask("ann");
        assert_eq!(denied.status, 429);
        let count: u64 = denied.header("x-rejection-count").unwrap().parse().unwrap();
        let passed_us = SystemClock.now().steady.since(begun).get();
        let forgiven = passed_us.div_ceil(FORGIVEN_AFTER_US);
        assert!((number.saturating_sub(forgiven)..=number).contains(&count), "{count} of {number}");
        let body = denied.json();
        assert_eq!(body["rejection_count"], count);
        let exact = body["retry_after_ms"].as_u64().unwrap().div_ceil(1_000);
        let shown: u64 = denied.header("retry-after").unwrap().parse().unwrap();
        let (least, jitter) = match count.saturating_sub(10) {
            0 => (0, 2),
            over => ((1 << over).min(60), 5),
        };
        let waits = exact.max(least)..=exact.max(least) + jitter;
        assert!(waits.contains(&shown), "{shown} is not within {waits:?}");
        // The reset has no jitter, and is never before the end of the wait without it.
        let reset = body["reset"].as_u64().unwrap();
        assert!(reset >= asked_s + exact.max(least), "{body}");
    }
    assert_eq!(ask("ben").status, 200, "nobody else pays for it");
}

#[test]
fn without_the_setting_a_wait_is_what_it_is() {
    let desk = Desk::new();
    desk.write("rules.yaml", RULES);
    let server = desk.serve(&["--rules", "rules.yaml"]);
    let mut http = Http::to(server.http);
    for _ in 0..12 {
        let reply = http.post("/ratelimit/check", &json!({ "user_id": "ann" }));
        assert!(reply.header("x-rejection-count").is_none());
        if reply.status == 429 {
            let body = reply.json();
            let exact = body["retry_after_ms"].as_u64().unwrap().div_ceil(1_000);
            assert_eq!(body["retry_after"], exact);
        }
    }
}
