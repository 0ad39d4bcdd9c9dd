//! Answers as clients read them.

use super::{LimitTold, Told, Unreadable, read_answer, read_answers, read_decided};
use crate::resp::{Reply, read_reply};

// Proves: U4
#[test]
fn both_protocols_tell_the_same() {
    let json = br#"{"allowed":false,"limit":20,"remaining":0,"reset":99,"retry_after":1,"retry_after_ms":100,
        "rule":"a","message":"slow down","revision":7,"decision_id":"x","status":429,"limits":[{"rule":"a","limit":20,"window_s":1,"remaining":0,
        "reset":99,"reset_ms":1900,"per":"10/s","algorithm":"token_bucket","burst":20,"key":["user","ip/64"],"overridden":true,"cost":"10"}]}"#;
    let over_http = read_answer(429, json).unwrap().unwrap();
    let bytes = b"*12\r\n:0\r\n:20\r\n:0\r\n:100\r\n:1900\r\n$1\r\na\r\n:0\r\n:3\r\n*1\r\n*10\r\n$1\r\na\r\n:20\r\n:0\r\n\
        :1900\r\n$4\r\n10/s\r\n$12\r\ntoken_bucket\r\n:20\r\n$10\r\nuser,ip/64\r\n:1\r\n$2\r\n10\r\n:429\r\n:1\r\n$9\r\nslow down\r\n";
    let (reply, _) = read_reply(bytes).unwrap().unwrap();
    let (over_resp, callers) = read_decided(&reply).unwrap();
    let over_resp = over_resp.unwrap();
    assert_eq!(callers, Some(3));
    let common = |told: &Told| {
        (
            told.allowed,
            told.limit,
            told.retry_after,
            told.rule.clone(),
            told.status,
            told.message.clone(),
        )
    };
    assert_eq!(common(&over_http), common(&over_resp));
    let without_date = |mut limit: LimitTold| {
        limit.reset = None;
        limit
    };
    assert_eq!(without_date(over_http.limits[0].clone()), over_resp.limits[0]);
}

#[test]
fn a_page_of_somebody_else_is_no_answer() {
    assert_eq!(read_answer(200, b"<html>"), Err(Unreadable));
    assert_eq!(read_answer(200, b"{}"), Err(Unreadable));
    assert_eq!(read_answers(b"{}"), Err(Unreadable));
    for (status, body) in [
        (502, &b"<html>"[..]),
        (400, b"{}"),
        (413, br#"{"status":413}"#),
        (400, br#"{"status":401,"detail":"x"}"#),
        (401, br#"{"status":401,"detail":"x"}"#),
        (200, br#"{"status":200,"detail":"x"}"#),
    ] {
        assert_eq!(read_answer(status, body), Err(Unreadable), "{status}");
    }
    let ours = br#"{"status":401,"detail":"x","reason":"expired"}"#;
    assert_eq!(read_answer(401, ours).unwrap().unwrap_err().status, 401);
    assert_eq!(read_decided(&Reply::Integer(1)), Err(Unreadable));
    let short = Reply::Array(vec![Reply::Integer(1)]);
    assert_eq!(read_decided(&short), Err(Unreadable));
}

#[test]
fn an_error_of_the_protocol_has_the_status_of_its_kind() {
    for (words, status) in [
        (&b"UNAUTHENTICATED expired: x"[..], 401),
        (b"FORBIDDEN not-trusted: x", 403),
        (b"UNAVAILABLE x", 503),
        (b"ERR x", 400),
        (b"ERR", 502),
        (b"ERR unknown command 'TG.DECIDE', with args beginning with: ", 502),
        (b"MOVED 1 127.0.0.1:7000", 502),
        (b"LOADING Redis is loading the dataset in memory", 502),
    ] {
        let (told, _) = read_decided(&Reply::Error(words)).unwrap();
        assert_eq!(told.unwrap_err().status, status);
    }
}

/// What is taken from outside has an end.
#[test]
fn no_more_is_taken_of_an_answer_than_anybody_needs() {
    let limit = |rule: &str| format!(r#"{{"rule":"{rule}","limit":1,"key":["user"]}}"#);
    let many: Vec<String> = (0..100).map(|number| limit(&number.to_string())).collect();
    let read = |limits: &str| {
        let body = format!(r#"{{"allowed":true,"limits":[{limits}]}}"#);
        read_answer(200, body.as_bytes()).unwrap().unwrap().limits
    };
    assert_eq!(read(&many.join(",")).len(), Told::LIMITS_MAX);
    let long = limit(&"x".repeat(Told::TEXT_BYTES_MAX + 1));
    let kept = read(&format!("{long},{}", limit("short")));
    assert_eq!(kept.len(), 1);
    assert_eq!(&*kept[0].rule, "short");
    let fields = vec!["\"\""; 65].join(",");
    assert_eq!(read(&format!(r#"{{"rule":"r","key":[{fields}]}}"#)), []);
    let long = "x".repeat(Told::TEXT_BYTES_MAX + 1);
    let body = format!(
        r#"{{"allowed":false,"rule":"{long}","message":"{long}","decision_id":"{long}","status":101}}"#
    );
    let told = read_answer(429, body.as_bytes()).unwrap().unwrap();
    assert_eq!(told, Told::default());
}
