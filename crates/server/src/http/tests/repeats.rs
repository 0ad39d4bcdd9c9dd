//! Questions that have a name.

// Proves: D15

use std::time::Duration;

use super::{
    Talk,
    talk::{body, status},
};

const RULES: &str = "rules: [{ name: login, key: [user], limit: 2/h }]";

#[test]
fn the_same_name_gets_the_same_answer_and_no_second_charge() {
    let mut talk = Talk::under(RULES);
    let asked = r#"{"user_id":"ann","request_id":"r-1"}"#;
    let first = talk.post("/ratelimit/check", asked);
    assert!(body(&first).contains(r#""remaining":1"#), "{first}");
    talk.clock.advance(Duration::from_secs(59));
    let again = talk.post("/ratelimit/check", asked);
    assert_eq!(body(&again), body(&first));
    talk.clock.advance(Duration::from_secs(1));
    let later = talk.post("/ratelimit/check", asked);
    assert!(body(&later).contains(r#""remaining":0"#), "{later}");
}

#[test]
fn a_name_that_belongs_to_another_request_is_422() {
    let mut talk = Talk::under(RULES);
    talk.post("/ratelimit/check", r#"{"user_id":"ann","request_id":"r-1"}"#);
    let said = talk.post("/ratelimit/check", r#"{"user_id":"bob","request_id":"r-1"}"#);
    assert_eq!(status(&said), "422");
    assert!(body(&said).contains("request_id was used"), "{said}");
    let long = "r".repeat(129);
    let asked = format!(r#"{{"user_id":"ann","request_id":"{long}"}}"#);
    let said = talk.post("/ratelimit/check", &asked);
    assert_eq!(status(&said), "400");
    let said = talk.post("/ratelimit/check", r#"{"user_id":"ann","request_id":""}"#);
    assert!(body(&said).contains(r#""remaining":0"#), "empty is missing: {said}");
}
