//! Peek, refund and reset.

// Proves: D11

use super::{
    Talk,
    talk::{TOKEN, body, header, post, status},
};
use crate::authority::Door;

const RULES: &str = "rules:\n\
    - { name: login, key: [user], limit: 3/min, algorithm: fixed_window }\n\
    - { name: daily, key: [user], limit: 9/day }";

fn remaining(said: &str) -> Vec<&str> {
    let limits = body(said).split("\"limits\":").nth(1).unwrap_or_default();
    let after = limits.split("\"remaining\":").skip(1);
    after.filter_map(|rest| rest.split(',').next()).collect()
}

#[test]
fn peek_reads_refund_gives_back_and_reset_makes_fresh() {
    let mut talk = Talk::under(RULES);
    talk.post("/ratelimit/check", r#"{"user_id":"ann","cost":3}"#);
    for _ in 0..2 {
        let said = talk.post("/ratelimit/peek", r#"{"user_id":"ann"}"#);
        assert_eq!(status(&said), "200", "whoever looks is not denied");
        assert!(body(&said).starts_with(r#"{"allowed":false,"limit":3"#), "{said}");
    }
    let said = talk.post("/ratelimit/refund", r#"{"user_id":"ann","cost":2,"rule":"login"}"#);
    assert_eq!(remaining(&said), ["2"]);
    let said = talk.post("/ratelimit/refund", r#"{"user_id":"ann","cost":100}"#);
    assert_eq!(remaining(&said), ["9", "3"], "never above the limit");
    talk.post("/ratelimit/check", r#"{"user_id":"ann","cost":3}"#);
    let golden = "{\"allowed\":true,\"limit\":3,\"remaining\":3,\"reset\":1767225660,\"rule\":\"login\",\
        \"reason\":\"allowed\",\"revision\":7,\"decision_id\":\"0000000000000000-00000007\",\"limits\":[{\"rule\":\"login\",\
        \"limit\":3,\"window_s\":60,\"remaining\":3,\"reset\":1767225660}]}";
    let said = talk.post("/ratelimit/reset", r#"{"user_id":"ann","rule":"login"}"#);
    assert_eq!(body(&said), golden);
    let said = talk.post("/ratelimit/peek", r#"{"user_id":"ann","cost":0}"#);
    assert_eq!(remaining(&said), ["6", "3"]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let mut talk = Talk::under(RULES);
    for (path, asked, wanted, detail) in [
        ("refund", r#"{"user_id":"ann"}"#, "400", "a refund needs `cost`"),
        ("refund", r#"{"cost":1}"#, "400", "at least one fact"),
        ("reset", r#"{"user_id":"ann","rule":"none"}"#, "422", "no rule \\\"none\\\""),
        ("reset", r#"{"user_id":"ann","request_id":"a"}"#, "400", "is for checks only"),
        (
            "check",
            r#"{"user_id":"ann","rule":"login"}"#,
            "400",
            "is for peek, refund and reset only",
        ),
        ("reset?x=1", r#"{"user_id":"ann"}"#, "400", "unknown parameter `x`"),
    ] {
        let said = talk.post(&format!("/ratelimit/{path}"), asked);
        assert_eq!(status(&said), wanted, "{path} {asked}");
        assert!(body(&said).contains(detail), "{said}");
    }
}

#[test]
fn refund_and_reset_ask_for_a_token_where_others_can_come_in() {
    let asked = r#"{"user_id":"ann","cost":1}"#;
    for path in ["/ratelimit/refund", "/ratelimit/reset"] {
        let mut talk = Talk::with(RULES, Door::Open, Some(TOKEN));
        let said = talk.post(path, asked);
        assert_eq!(status(&said), "401");
        assert_eq!(header(&said, "WWW-Authenticate"), Some("Bearer realm=\"tollgate\""));
        let said = talk.say(&post(path, "Authorization: Bearer wrong\r\n", asked));
        assert_eq!(status(&said), "401");
        let shown = format!("Authorization: bearer {TOKEN}\r\n");
        let said = talk.say(&post(path, &shown, asked));
        assert_eq!(status(&said), "200");
        let said = talk.post("/ratelimit/peek", asked);
        assert_eq!(status(&said), "200", "peeking is asking");
        let mut talk = Talk::with(RULES, Door::Open, None);
        assert_eq!(status(&talk.post(path, asked)), "403");
    }
}

// Proves: O2
#[test]
fn who_may_not_is_on_record() {
    let asked = r#"{"user_id":"ann","cost":1}"#;
    let mut talk = Talk::with(RULES, Door::Open, Some(TOKEN));
    for path in ["refund", "reset", "reset", "peek"] {
        talk.post(&format!("/ratelimit/{path}"), asked);
    }
    // One reason, from one place: what differs is not told, and nothing is left out of the count.
    let told = talk.service.authority.record().told();
    assert_eq!(told, ["several several 3"]);
}

/// A page that somebody opens on the server's machine must not reset counters there.
#[test]
fn a_page_needs_a_token_even_on_loopback() {
    let asked = r#"{"user_id":"ann"}"#;
    let mut talk = Talk::with(RULES, Door::Loopback, Some(TOKEN));
    assert_eq!(status(&talk.post("/ratelimit/reset", asked)), "200");
    let said = talk.say(&post("/ratelimit/reset", "Origin: https://evil.example\r\n", asked));
    assert_eq!(status(&said), "401");
    let mut talk = Talk::under(RULES);
    let said = talk.say(&post("/ratelimit/reset", "Origin: null\r\n", asked));
    assert_eq!(status(&said), "403");
    // It may ask for itself, and for nobody else.
    let said = talk.say(&post("/ratelimit/check", "Origin: null\r\n", asked));
    assert_eq!(status(&said), "403");
    let own = r#"{"endpoint":"/"}"#;
    let said = talk.say(&post("/ratelimit/check", "Origin: null\r\n", own));
    assert_eq!(status(&said), "200");
}

/// A reverse proxy on this machine hands on the requests of strangers.
#[test]
fn what_came_through_a_proxy_needs_a_token_even_on_loopback() {
    let asked = r#"{"user_id":"ann","cost":1}"#;
    for line in ["X-Forwarded-For: 203.0.113.9", "Forwarded: for=a", "X-Real-IP: a", "Via: 1.1 a"] {
        let line = format!("{line}\r\n");
        for path in ["/ratelimit/refund", "/ratelimit/reset"] {
            let mut talk = Talk::under(RULES);
            let said = talk.say(&post(path, &line, asked));
            assert_eq!(status(&said), "403", "{line}");
            assert!(body(&said).contains("came through a proxy"), "{said}");
            let mut talk = Talk::with(RULES, Door::Loopback, Some(TOKEN));
            let said = talk.say(&post(path, &line, asked));
            assert_eq!(status(&said), "401", "{line}");
            let token = format!("Authorization: Bearer {TOKEN}\r\n{line}");
            assert_eq!(status(&talk.say(&post(path, &token, asked))), "200", "{line}");
        }
    }
}
