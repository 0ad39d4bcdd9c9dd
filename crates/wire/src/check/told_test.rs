//! Answers as clients read them.

use super::{LimitTold, Told, Unreadable, read_answer, read_answers, read_decided};
use crate::resp::{Reply, read_reply};

// Proves: U4
#[test]
fn both_protocols_tell_the_same() {
    let json = br#"{"allowed":false,"limit":20,"remaining":0,"reset":99,"retry_after":1,"retry_after_ms":100,
        "rule":"a","revision":7,"decision_id":"x","limits":[{"rule":"a","limit":20,"window_s":1,"remaining":0,
        "reset":99,"reset_ms":1900,"per":"10/s","algorithm":"token_bucket","burst":20,"key":["user","ip/64"]}]}"#;
    let over_http = read_answer(429, json).unwrap().unwrap();
    let bytes = b"*9\r\n:0\r\n:20\r\n:0\r\n:100\r\n:1900\r\n$1\r\na\r\n:0\r\n:3\r\n*1\r\n*8\r\n$1\r\na\r\n:20\r\n:0\r\n\
        :1900\r\n$4\r\n10/s\r\n$12\r\ntoken_bucket\r\n:20\r\n$10\r\nuser,ip/64\r\n";
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
        )
    };
    assert_eq!(common(&over_http), common(&over_resp));
    let without_date = |mut limit: LimitTold| {
        limit.reset = None;
        limit
    };
    assert_eq!(
        without_date(over_http.limits[0].clone()),
        over_resp.limits[0]
    );
}

#[test]
fn a_page_of_somebody_else_is_no_answer() {
    assert_eq!(read_answer(200, b"<html>"), Err(Unreadable));
    assert_eq!(read_answer(200, b"{}"), Err(Unreadable));
    assert_eq!(read_answers(b"{}"), Err(Unreadable));
    let problem = read_answer(502, b"<html>").unwrap().unwrap_err();
    assert_eq!(problem.status, 502);
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
    ] {
        let (told, _) = read_decided(&Reply::Error(words)).unwrap();
        assert_eq!(told.unwrap_err().status, status);
    }
}
