//! Golden bytes of decisions.

// Proves: S1, S5

use std::time::Duration;

use super::{
    Talk,
    talk::{body, header, post, status},
};

const LOGIN: &str = "rules: [{ name: login, key: [user], limit: 2/min, algorithm: fixed_window }]";
const CHECK: &str = "/ratelimit/check";

#[test]
fn allowed_to_the_byte() {
    let mut talk = Talk::under(LOGIN);
    let said = talk.post(CHECK, r#"{"user_id":"ann"}"#);
    let golden = "HTTP/1.1 200 OK\r\n\
        Date: Thu, 01 Jan 2026 00:00:00 GMT\r\n\
        Access-Control-Allow-Origin: *\r\n\
        Access-Control-Expose-Headers: Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, \
        X-RateLimit-Reset, RateLimit, RateLimit-Policy, X-Rejection-Count, Tollgate-Decision-Id, Tollgate-Reason, Tollgate-Fallback\r\n\
        Content-Type: application/json\r\n\
        X-RateLimit-Limit: 2\r\n\
        X-RateLimit-Remaining: 1\r\n\
        X-RateLimit-Reset: 1767225660\r\n\
        Tollgate-Reason: allowed\r\n\
        Tollgate-Decision-Id: 0000000000000000-00000001\r\n\
        Content-Length: 233\r\n\
        \r\n\
        {\"allowed\":true,\"limit\":2,\"remaining\":1,\"reset\":1767225660,\"rule\":\"login\",\
        \"reason\":\"allowed\",\"revision\":7,\"decision_id\":\"0000000000000000-00000001\",\"limits\":[{\"rule\":\"login\",\
        \"limit\":2,\"window_s\":60,\"remaining\":1,\"reset\":1767225660}]}";
    assert_eq!(said, golden);
}

#[test]
fn denied_to_the_byte() {
    let mut talk = Talk::under(LOGIN);
    talk.clock.advance(Duration::from_millis(37_250));
    talk.post(CHECK, r#"{"user_id":"ann","cost":2}"#);
    let said = talk.post(CHECK, r#"{"user_id":"ann"}"#);
    let golden = "HTTP/1.1 429 Too Many Requests\r\n\
        Date: Thu, 01 Jan 2026 00:00:37 GMT\r\n\
        Access-Control-Allow-Origin: *\r\n\
        Access-Control-Expose-Headers: Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, \
        X-RateLimit-Reset, RateLimit, RateLimit-Policy, X-Rejection-Count, Tollgate-Decision-Id, Tollgate-Reason, Tollgate-Fallback\r\n\
        Content-Type: application/json\r\n\
        X-RateLimit-Limit: 2\r\n\
        X-RateLimit-Remaining: 0\r\n\
        X-RateLimit-Reset: 1767225660\r\n\
        Retry-After: 23\r\n\
        Tollgate-Reason: throttled\r\n\
        Tollgate-Decision-Id: 0000000000000000-00000002\r\n\
        Content-Length: 276\r\n\
        \r\n\
        {\"allowed\":false,\"limit\":2,\"remaining\":0,\"reset\":1767225660,\"retry_after\":23,\
        \"retry_after_ms\":22750,\"rule\":\"login\",\"reason\":\"throttled\",\"revision\":7,\
        \"decision_id\":\"0000000000000000-00000002\",\"limits\":[{\"rule\":\"login\",\
        \"limit\":2,\"window_s\":60,\"remaining\":0,\"reset\":1767225660}]}";
    assert_eq!(said, golden);
}

#[test]
fn a_client_that_prefers_200_gets_it_with_the_same_body() {
    let mut talk = Talk::under(LOGIN);
    talk.post(CHECK, r#"{"user_id":"ann","cost":2}"#);
    let said = talk.post("/ratelimit/check?status=200", r#"{"user_id":"ann"}"#);
    assert_eq!(status(&said), "200");
    assert!(body(&said).starts_with(r#"{"allowed":false,"limit":2,"remaining":0"#));
    assert_eq!(header(&said, "Retry-After"), Some("60"));
}

/// RFC 9457, for whoever asks for it.
#[test]
fn a_denial_as_a_problem_names_the_violated_policy() {
    let mut talk = Talk::under(LOGIN);
    let accept = "Accept: application/json;q=0.5, application/problem+json\r\n";
    let allowed = talk.say(&post(CHECK, accept, r#"{"user_id":"ann","cost":2}"#));
    assert_eq!(
        header(&allowed, "Content-Type"),
        Some("application/json"),
        "nothing is wrong with what is allowed"
    );
    let denied = talk.say(&post(CHECK, accept, r#"{"user_id":"ann"}"#));
    assert_eq!(header(&denied, "Content-Type"), Some("application/problem+json"));
    let golden = "{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\",\
        \"title\":\"Request cannot be satisfied as assigned quota has been exceeded\",\"status\":429,\
        \"violated-policies\":[\"login\"],\"allowed\":false,\"limit\":2,\"remaining\":0,\
        \"reset\":1767225660,\"retry_after\":60,\"retry_after_ms\":60000,\"rule\":\"login\",\
        \"reason\":\"throttled\",\"revision\":7,\"decision_id\":\"0000000000000000-00000002\",\"limits\":[{\"rule\":\"login\",\
        \"limit\":2,\"window_s\":60,\"remaining\":0,\"reset\":1767225660}]}";
    assert_eq!(body(&denied), golden);
    let refused = "Accept: application/problem+json;q=0\r\n";
    let denied = talk.say(&post(CHECK, refused, r#"{"user_id":"ann"}"#));
    assert_eq!(header(&denied, "Content-Type"), Some("application/json"));
}

/// Section 11, "Why": the field and the header say the same, of a decision and of a refusal.
#[test]
fn every_answer_says_why() {
    let mut talk = Talk::under(
        "rules:\n\
         - { name: login, match: { endpoint: /login }, key: [user], limit: 1/min }\n\
         - { name: strict, match: { endpoint: /strict }, key: [user], missing: deny, limit: 1/min }\n\
         - { name: out, match: { endpoint: /out }, action: block }",
    );
    let mallory = tollgate_rules::Block::new(tollgate_rules::Field::User, "mallory".into());
    talk.live.directory().block(&mallory);
    for (facts, reason) in [
        (r#"{"user_id":"ann","endpoint":"/login"}"#, "allowed"),
        (r#"{"user_id":"ann","endpoint":"/login"}"#, "throttled"),
        (r#"{"endpoint":"/elsewhere"}"#, "allowed"),
        (r#"{"endpoint":"/out"}"#, "blocked"),
        (r#"{"user_id":"mallory"}"#, "blocked"),
        (r#"{"endpoint":"/strict"}"#, "missing"),
        (r#"{"token":"a.b.c"}"#, "not-configured"),
    ] {
        let said = talk.post(CHECK, facts);
        assert_eq!(header(&said, "Tollgate-Reason"), Some(reason), "{facts}");
        let field = format!("\"reason\":\"{reason}\"");
        assert!(body(&said).contains(&field), "{facts}: {said}");
    }
}

/// 12.6: 403, limit 0, and no wait since none helps.
#[test]
fn a_block_is_403_without_a_wait() {
    let mut talk = Talk::under(
        "rules: [{ name: out, match: { user: eve }, action: block, response: { message: \"go \\\"away\\\"\" } }]",
    );
    let said = talk.post(CHECK, r#"{"user_id":"eve"}"#);
    assert_eq!(status(&said), "403");
    assert_eq!(header(&said, "X-RateLimit-Limit"), Some("0"));
    assert_eq!(header(&said, "X-RateLimit-Reset"), None);
    assert_eq!(header(&said, "Retry-After"), None);
    let golden = "{\"allowed\":false,\"limit\":0,\"remaining\":0,\"reset\":null,\"rule\":\"out\",\
        \"reason\":\"blocked\",\"message\":\"go \\\"away\\\"\",\"revision\":7,\
        \"decision_id\":\"0000000000000000-00000001\",\"limits\":[]}";
    assert_eq!(body(&said), golden);
    let accept = "Accept: application/problem+json\r\n";
    let said = talk.say(&post(CHECK, accept, r#"{"user_id":"eve"}"#));
    let golden = "{\"type\":\"about:blank\",\"title\":\"Forbidden\",\"status\":403,\
        \"violated-policies\":[\"out\"],\"allowed\":false";
    assert!(body(&said).starts_with(golden), "{said}");
}

#[test]
fn a_rule_words_its_own_denial() {
    let mut talk = Talk::under(
        "rules: [{ name: a, key: [user], limit: 1/min, algorithm: fixed_window, response: { status: 418, message: slow down, retry_after: 90 } }]",
    );
    talk.post(CHECK, r#"{"user_id":"ann"}"#);
    let said = talk.post(CHECK, r#"{"user_id":"ann"}"#);
    assert!(said.starts_with("HTTP/1.1 418 I'm a teapot\r\n"), "{said}");
    assert_eq!(header(&said, "Retry-After"), Some("90"));
    assert!(body(&said).contains(r#""retry_after":90,"#));
    assert!(body(&said).contains(r#""message":"slow down","#));
}

/// 12.5: allowed, and nothing to show.
#[test]
fn nothing_matched_is_allowed_with_nulls() {
    let mut talk = Talk::under(LOGIN);
    let said = talk.post(CHECK, r#"{"endpoint":"/a"}"#);
    assert_eq!(status(&said), "200");
    assert_eq!(header(&said, "X-RateLimit-Limit"), None);
    let golden = "{\"allowed\":true,\"limit\":null,\"remaining\":null,\"reset\":null,\"rule\":null,\
        \"reason\":\"allowed\",\"revision\":7,\"decision_id\":\"0000000000000000-00000001\",\"limits\":[]}";
    assert_eq!(body(&said), golden);
}

/// A cost that can never fit: no wait is named.
#[test]
fn waiting_that_never_helps_is_not_suggested() {
    let mut talk = Talk::under(LOGIN);
    let said = talk.post(CHECK, r#"{"user_id":"ann","cost":3}"#);
    assert_eq!(status(&said), "429");
    assert_eq!(header(&said, "Retry-After"), None);
    assert!(!body(&said).contains("retry_after"), "{said}");
    let said = talk.post(CHECK, r#"{"user_id":"ann","cost":18446744073709551615}"#);
    assert_eq!(status(&said), "429");
    let said = talk.post(CHECK, r#"{"user_id":"ann","cost":0}"#);
    assert!(body(&said).contains(r#""remaining":2"#), "{said}");
}

#[test]
fn several_limits_bands_delays_and_short_windows_are_told() {
    let mut talk = Talk::under(
        "rules:\n\
         - { name: many, key: [user], limits: [4/500ms, 5/day] }\n\
         - { name: line, match: { endpoint: /queue }, key: [user], limit: { per: 2/s, burst: 3 }, algorithm: leaky_bucket }",
    );
    let asked = r#"{"user_id":"ann","endpoint":"/queue"}"#;
    let said = talk.post(CHECK, asked);
    assert!(!body(&said).contains("delay_ms"), "{said}");
    let said = talk.post(CHECK, asked);
    assert!(body(&said).contains(r#""delay_ms":500,"#), "{said}");
    assert!(body(&said).contains(r#""window_s":0.5,"#), "{said}");
    assert!(body(&said).contains(r#""window_s":86400,"#), "{said}");
    talk.post(CHECK, asked);
    let said = talk.post(CHECK, asked);
    assert!(body(&said).contains(r#""band":"warn","#), "{said}");
}

/// 12.13: not "nothing matched".
#[test]
fn without_rules_it_is_503_and_soon_again() {
    let mut talk = Talk::without_rules();
    for (path, asked) in [
        (CHECK, r#"{"user_id":"ann"}"#),
        ("/ratelimit/check/batch", r#"{"requests":[]}"#),
        ("/ratelimit/peek", r#"{"user_id":"ann"}"#),
        ("/ratelimit/reset", r#"{"user_id":"ann","rule":"login"}"#),
    ] {
        let said = talk.post(path, asked);
        assert_eq!(status(&said), "503", "{path}");
        assert_eq!(header(&said, "Retry-After"), Some("1"));
        assert!(body(&said).contains("\"detail\":\"no rules are loaded"), "{said}");
    }
    let said = talk.say(b"GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(status(&said), "503");
    let said = talk.say(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!((status(&said), body(&said)), ("200", r#"{"status":"alive"}"#));
}
