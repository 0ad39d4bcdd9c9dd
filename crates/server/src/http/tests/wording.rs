//! The header fields, under each setting.

// Proves: S5, D6

use tollgate_core::{Clock as _, Micros};
use tollgate_testkit::Rng;

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

/// Rules whose denials last for different times, one of which asks for more than its limit does.
const DENYING: &str = "rules:\n\
    - { name: hour, key: [user], limits: [3/min, 7/h] }\n\
    - { name: log, key: [user], limit: { per: 4/30s, algorithm: sliding_log } }\n\
    - { name: burst, key: [user], limit: { per: 6/min, burst: 3 } }\n\
    - { name: queue, match: { user: ben }, key: [user], limit: { per: 2/min, algorithm: leaky_bucket, burst: 1 } }\n\
    - { name: slow, match: { user: cat }, key: [user], limit: { per: 1/10s, algorithm: fixed_window }, \
        response: { retry_after: 100 } }";

/// A client that comes back at the reset is not denied again: whichever field it reads.
#[test]
fn no_reset_of_a_denial_is_before_the_end_of_retry_after() {
    for reset_as in [ResetAs::Epoch, ResetAs::Seconds] {
        let mut talk = Talk::worded(DENYING, Fields::Both, reset_as);
        let mut rng = Rng::new(7);
        let mut denials = 0;
        for _ in 0..3_000 {
            let gap = rng.pick(&[0, 900, 3_000_000, 400_000_000]);
            talk.clock.advance(Micros::new(rng.below(gap + 1)));
            let user = rng.pick(&["ann", "ben", "cat"]);
            let cost = 1 + rng.below(3);
            let check = format!(r#"{{"user_id":"{user}","cost":{cost}}}"#);
            let said = talk.post("/ratelimit/check", &check);
            let Some(wait) = header(&said, "Retry-After") else {
                continue;
            };
            denials += 1;
            let wait: u64 = wait.parse().unwrap();
            let now = talk.clock.now().wall;
            let answer: serde_json::Value = serde_json::from_str(body(&said)).unwrap();
            // The exact wait is told rounded up to a millisecond.
            let exact_ms = answer["retry_after_ms"].as_u64().unwrap();
            let asked_ms = if answer["rule"] == "slow" { 100_000 } else { 0 };
            assert!(wait >= asked_ms / 1_000, "{said}");
            let least = Micros::from_millis((exact_ms - 1).max(asked_ms));
            let promised = now.saturating_add(least).as_secs_ceil();
            assert!(answer["reset"].as_u64().unwrap() >= promised, "{said}");
            let shown: u64 = header(&said, "X-RateLimit-Reset").unwrap().parse().unwrap();
            match reset_as {
                ResetAs::Epoch => assert!(shown >= promised, "{said}"),
                ResetAs::Seconds => assert!(shown >= least.as_secs_ceil(), "{said}"),
            }
            let standing = header(&said, "RateLimit").unwrap();
            assert!(standing.ends_with(&format!(";t={wait}")), "{said}");
        }
        assert!(denials > 500, "only {denials} denials");
    }
}
