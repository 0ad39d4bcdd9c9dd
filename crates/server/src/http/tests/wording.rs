//! The header fields, under each setting.

// Proves: S5

use super::{
    Talk,
    talk::{body, header},
};
use crate::{Fields, ResetAs};

const RULES: &str = "rules:\n\
    - { name: login, key: [user], limits: [2/min, 5/day], algorithm: fixed_window }\n\
    - { name: quick, key: [user], limit: 9/500ms }\n\
    - { name: out, match: { user: eve }, action: block, priority: 9 }";

#[test]
fn the_draft_lists_every_policy_and_the_standing_of_one() {
    let mut talk = Talk::worded(RULES, Fields::Draft, ResetAs::Epoch);
    let said = talk.post("/ratelimit/check", r#"{"user_id":"ann"}"#);
    assert_eq!(
        header(&said, "RateLimit-Policy"),
        Some(r#""login:min";q=2;w=60, "login:day";q=5;w=86400, "quick";q=9"#)
    );
    assert_eq!(header(&said, "RateLimit"), Some(r#""login:min";r=1;t=60"#));
    assert_eq!(header(&said, "X-RateLimit-Limit"), None);
}

/// `Retry-After` must not be earlier than `t`.
#[test]
fn a_wait_in_the_draft_is_never_later_than_retry_after() {
    let mut talk = Talk::worded(
        "rules: [{ name: a, key: [user], limit: { per: 5/min, burst: 5 } }]",
        Fields::Both,
        ResetAs::Seconds,
    );
    talk.post("/ratelimit/check", r#"{"user_id":"ann","cost":5}"#);
    let said = talk.post("/ratelimit/check", r#"{"user_id":"ann"}"#);
    assert_eq!(header(&said, "Retry-After"), Some("12"));
    assert_eq!(header(&said, "RateLimit"), Some(r#""a";r=0;t=12"#));
    assert_eq!(header(&said, "X-RateLimit-Reset"), Some("60"));
    assert!(body(&said).contains(r#""reset":1767225660"#), "{said}");
}

#[test]
fn a_block_is_a_policy_of_nothing() {
    let mut talk = Talk::worded(RULES, Fields::Both, ResetAs::Epoch);
    let said = talk.post("/ratelimit/check", r#"{"user_id":"eve"}"#);
    assert_eq!(header(&said, "RateLimit-Policy"), Some(r#""out";q=0"#));
    assert_eq!(header(&said, "RateLimit"), Some(r#""out";r=0"#));
    assert_eq!(header(&said, "X-RateLimit-Remaining"), Some("0"));
}
