//! Answers to checks.

// Proves: S1

use tollgate_wire::check::{CheckAnswer, LimitAnswer, Wait};

#[test]
fn answers_are_json_whatever_they_say() {
    let strange = "a\"\\\u{1}\u{1f}\n\r\té\u{2028}";
    let answer = CheckAnswer {
        allowed: false,
        limit: Some(u64::MAX),
        remaining: Some(0),
        reset: None,
        wait: Some(Wait { seconds: 1, millis: 999 }),
        rejections: None,
        delay_ms: 3,
        band: Some("warn"),
        rule: Some("r"),
        reason: "throttled",
        message: Some(strange),
        revision: Some(1),
        fallback: Some("local"),
        decision_id: Some("id"),
        status: Some(403),
    };
    let limit =
        LimitAnswer { rule: "r", limit: 1, window_us: 1_500, remaining: 0, reset: 2, told: None };
    let mut out = Vec::new();
    answer.write([limit.clone(), limit].into_iter(), &mut out);
    let read: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(read["message"], strange);
    assert_eq!(read["limit"], u64::MAX);
    assert_eq!(read["reason"], "throttled");
    assert_eq!(read["fallback"], "local");
    assert_eq!(read["retry_after_ms"], 999);
    assert_eq!(read["limits"][1]["window_s"], 0.0015);
}
