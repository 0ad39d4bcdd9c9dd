//! What is turned away, and in which words.

// Proves: S1

use super::{
    Talk,
    talk::{body, header, post, status},
};

const RULES: &str = "rules: [{ name: login, key: [user], limit: 2/min }]";

#[test]
fn a_bad_request_is_told_in_a_problem_to_the_byte() {
    let mut talk = Talk::under(RULES);
    let said = talk.post("/ratelimit/check", r#"{"user":"ann"}"#);
    let golden = "HTTP/1.1 400 Bad Request\r\n\
        Date: Thu, 01 Jan 2026 00:00:00 GMT\r\n\
        Access-Control-Allow-Origin: *\r\n\
        Access-Control-Expose-Headers: Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, \
        X-RateLimit-Reset, RateLimit, RateLimit-Policy, X-Rejection-Count, Tollgate-Decision-Id, Tollgate-Reason, Tollgate-Fallback\r\n\
        Content-Type: application/problem+json\r\n\
        Content-Length: 133\r\n\
        \r\n\
        {\"type\":\"about:blank\",\"title\":\"Bad Request\",\"status\":400,\"detail\":\
        \"unknown field `user`: did you mean `user_id`? (line 1, column 2)\"}";
    assert_eq!(said, golden);
}

/// The conversation goes on: where the request ended was never in doubt.
#[test]
fn facts_are_named_as_they_were_spelled() {
    let mut talk = Talk::under(RULES);
    for (asked, detail) in [
        (r#"{"user_id":"a\u0000b"}"#, "user_id: holds a control character"),
        (r#"{"org_id":"a\nb"}"#, "org_id: holds a control character"),
        (r#"{"user_id":"hot\u009b31mX"}"#, "user_id: holds a control character (U+009B)"),
        ("{\"user_id\":\"bob\u{202e}ecila\"}", "user_id: holds a control character (U+202E)"),
        (r#"{"region":"a\u2028b"}"#, "region: holds a control character (U+2028)"),
        (r#"{"ip":"1.2.3"}"#, "ip: "),
        (r#"{"endpoint":"/%00"}"#, "endpoint: "),
        (r#"{"endpoint":"/api//../login"}"#, "endpoint: path climbs by .. over an empty segment"),
        (r#"{"endpoint":"//x/api/login"}"#, "endpoint: path begins with //"),
        (r#"{"endpoint":"/api\\login"}"#, "endpoint: path holds a "),
        (r#"{"method":"G T"}"#, "method: "),
        (r#"{"attributes":{"a":"\u0001"}}"#, "attributes.a: holds a control"),
        (r#"{"attributes":{"a":"1","a":"2"}}"#, "attribute \\\"a\\\" is given twice"),
        (r#"{"user_id":"ann","scope":"galaxy"}"#, "unknown scope \\\"galaxy\\\""),
        (r#"{"user_id":"  "}"#, "at least one fact"),
        (r#"{"cost":1}"#, "at least one fact"),
        (r#"{"user_id":7}"#, "`user_id` must be a string, not a number (line 1, column 12)"),
        (r#"{"user_id":"ann","cost":-1}"#, "`cost` must be a whole number"),
        ("", "the body is empty"),
    ] {
        let said = talk.post("/ratelimit/check", asked);
        assert_eq!(status(&said), "400", "{asked}");
        assert!(body(&said).contains(detail), "{asked}: {said}");
    }
}

#[test]
fn astray_is_told_the_way() {
    let mut talk = Talk::under(RULES);
    let said = talk.post("/ratelimit/chekc", "{}");
    assert_eq!(status(&said), "404");
    assert!(body(&said).contains("POST /ratelimit/check, "), "{said}");
    for method in ["GET", "PUT", "DELETE", "post"] {
        let said =
            talk.say(format!("{method} /ratelimit/check HTTP/1.1\r\nHost: a\r\n\r\n").as_bytes());
        assert_eq!(status(&said), "405");
        assert_eq!(header(&said, "Allow"), Some("POST, OPTIONS"));
    }
    let said = talk.post("/healthz", "");
    assert_eq!(header(&said, "Allow"), Some("GET, HEAD, OPTIONS"));
    let said = talk.post("/ratelimit/check?status=429", r#"{"user_id":"ann"}"#);
    assert_eq!(status(&said), "400");
    let said = talk.post("/ratelimit/check?stauts=200", r#"{"user_id":"ann"}"#);
    assert!(body(&said).contains("unknown parameter `stauts`"), "{said}");
    for kind in ["text/plain", "json", ""] {
        let kind = format!("Content-Type: {kind}\r\n");
        let said = talk.say(&post("/ratelimit/check", &kind, r#"{"user_id":"ann"}"#));
        assert_eq!(status(&said), "415", "{kind}");
    }
    // The last is what `curl -d` says of everything.
    for kind in [
        "application/JSON; charset=utf-8",
        "application/vnd.a+json",
        "application/x-www-form-urlencoded",
    ] {
        let kind = format!("Content-Type: {kind}\r\n");
        let said = talk.say(&post("/ratelimit/check", &kind, r#"{"user_id":"ann","cost":0}"#));
        assert_eq!(status(&said), "200", "{kind}");
    }
}

#[test]
fn what_is_not_http_ends_the_conversation() {
    for (bytes, wanted) in [
        (&b"\x16\x03\x01\x02\x00"[..], "400"),
        (b"PING\r\n", "400"),
        (b"GET / HTTP/2.0\r\n", "505"),
        (b"GET / HTTP/1.1\r\n\r\n", "400"),
        (
            b"POST /ratelimit/check HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\n\r\n",
            "413",
        ),
        (
            b"POST /ratelimit/check HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
            "415",
        ),
        (
            b"POST /ratelimit/check HTTP/1.1\r\nHost: a\r\nExpect: cake\r\n\r\n",
            "417",
        ),
    ] {
        let said = Talk::under(RULES).say_last(bytes);
        assert_eq!(status(&said), wanted, "{said}");
        assert_eq!(header(&said, "Connection"), Some("close"));
        assert_eq!(
            header(&said, "Content-Type"),
            Some("application/problem+json")
        );
    }
}

#[test]
fn a_single_request_has_64_kib_and_a_batch_has_more() {
    let head = |path: &str, bytes: usize| {
        format!(
            "POST {path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: {bytes}\r\n\r\n"
        )
    };
    for action in ["check", "peek", "refund", "reset"] {
        let path = format!("/ratelimit/{action}");
        let said = Talk::under(RULES).say_last(head(&path, 65_537).as_bytes());
        assert_eq!(status(&said), "413", "{said}");
        let hint = "the body has more than 65536 bytes, the most for a single request";
        assert!(body(&said).contains(hint), "{said}");
        assert_eq!(Talk::under(RULES).say(head(&path, 65_536).as_bytes()), "");
    }
    for path in ["/ratelimit/check/batch", "/gateway/forward-auth"] {
        assert_eq!(Talk::under(RULES).say(head(path, 65_537).as_bytes()), "");
    }
}
