//! Golden bytes of what gateways are told.

// Proves: S4, I4

use std::{net::Ipv4Addr, time::Duration};

use super::{
    Talk,
    talk::{body, header, status},
};

const RULES: &str = "rules: [{ name: api, match: { endpoint: /api/** }, key: [ip], limit: 2/min, algorithm: fixed_window }]";
const OUTSIDER: Ipv4Addr = Ipv4Addr::new(198, 51, 100, 9);

/// What NGINX sends by the snippet, with more headers.
fn nginx(uri: &str, more: &str) -> Vec<u8> {
    format!(
        "GET /gateway/nginx HTTP/1.1\r\nHost: tollgate\r\nX-Original-URI: {uri}\r\n\
         X-Original-Method: GET\r\n{more}\r\n"
    )
    .into_bytes()
}

fn forward_auth(uri: &str, more: &str) -> Vec<u8> {
    format!(
        "GET /gateway/forward-auth HTTP/1.1\r\nHost: tollgate\r\nX-Forwarded-Uri: {uri}\r\n\
         X-Forwarded-Method: GET\r\n{more}\r\n"
    )
    .into_bytes()
}

const FROM: &str = "X-Forwarded-For: 192.0.2.1\r\n";

#[test]
fn nginx_lets_pass_to_the_byte() {
    let mut talk = Talk::under(RULES);
    let golden = "HTTP/1.1 204 No Content\r\n\
        Date: Thu, 01 Jan 2026 00:00:00 GMT\r\n\
        X-RateLimit-Limit: 2\r\n\
        X-RateLimit-Remaining: 1\r\n\
        X-RateLimit-Reset: 1767225660\r\n\
        Tollgate-Reason: allowed\r\n\
        Tollgate-Decision-Id: 0000000000000000-00000001\r\n\
        Tollgate-Rule: api\r\n\
        \r\n";
    assert_eq!(talk.say(&nginx("/api/a?b=c", FROM)), golden);
    let unmatched = "HTTP/1.1 204 No Content\r\n\
        Date: Thu, 01 Jan 2026 00:00:00 GMT\r\n\
        Tollgate-Reason: allowed\r\n\
        Tollgate-Decision-Id: 0000000000000000-00000002\r\n\
        \r\n";
    assert_eq!(talk.say(&nginx("/", FROM)), unmatched);
}

#[test]
fn nginx_denies_to_the_byte() {
    let mut talk = Talk::under(RULES);
    talk.clock.advance(Duration::from_millis(37_250));
    for _ in 0..2 {
        assert_eq!(status(&talk.say(&nginx("/api/a", FROM))), "204");
    }
    let json = "{\"allowed\":false,\"limit\":2,\"remaining\":0,\"reset\":1767225660,\"retry_after\":23,\
        \"retry_after_ms\":22750,\"rule\":\"api\",\"reason\":\"throttled\",\"revision\":7,\
        \"decision_id\":\"0000000000000000-00000003\",\"limits\":[{\"rule\":\"api\",\
        \"limit\":2,\"window_s\":60,\"remaining\":0,\"reset\":1767225660}]}";
    let golden = format!(
        "HTTP/1.1 403 Forbidden\r\n\
        Date: Thu, 01 Jan 2026 00:00:37 GMT\r\n\
        X-RateLimit-Limit: 2\r\n\
        X-RateLimit-Remaining: 0\r\n\
        X-RateLimit-Reset: 1767225660\r\n\
        Retry-After: 23\r\n\
        Tollgate-Reason: throttled\r\n\
        Tollgate-Decision-Id: 0000000000000000-00000003\r\n\
        Tollgate-Rule: api\r\n\
        Tollgate-Status: 429\r\n\
        Tollgate-Body: {json}\r\n\
        Content-Length: 0\r\n\
        \r\n"
    );
    assert_eq!(talk.say(&nginx("/api//./a/", FROM)), golden);
}

#[test]
fn a_block_and_a_rule_that_words_its_denial_say_so_in_the_status() {
    let mut talk = Talk::under(
        "rules:\n\
         - { name: out, match: { endpoint: /out }, action: block, response: { message: \"raus, é🦀\" } }\n\
         - { name: later, match: { endpoint: /later }, action: block, response: { status: 503 } }",
    );
    let said = talk.say(&nginx("/out", FROM));
    assert_eq!(status(&said), "403");
    assert_eq!(header(&said, "Tollgate-Status"), Some("403"));
    assert_eq!(header(&said, "Tollgate-Rule"), Some("out"));
    let told = header(&said, "Tollgate-Body").unwrap();
    assert!(told.contains(r#""message":"raus, \u00e9\ud83e\udd80""#), "{told}");
    let said = talk.say(&nginx("/later", FROM));
    assert_eq!(status(&said), "403");
    assert_eq!(header(&said, "Tollgate-Status"), Some("503"));
    let said = talk.say(&forward_auth("/out", FROM));
    assert_eq!(status(&said), "403");
    assert!(body(&said).contains("raus, é🦀"), "{said}");
    assert_eq!(status(&talk.say(&forward_auth("/later", FROM))), "503");
}

/// As POST /ratelimit/check answers.
#[test]
fn forward_auth_answers_the_client_to_the_byte() {
    let mut talk = Talk::under(RULES);
    let passes = "HTTP/1.1 200 OK\r\n\
        Date: Thu, 01 Jan 2026 00:00:00 GMT\r\n\
        X-RateLimit-Limit: 2\r\n\
        X-RateLimit-Remaining: 1\r\n\
        X-RateLimit-Reset: 1767225660\r\n\
        Tollgate-Reason: allowed\r\n\
        Tollgate-Decision-Id: 0000000000000000-00000001\r\n\
        Content-Length: 0\r\n\
        \r\n";
    assert_eq!(talk.say(&forward_auth("/api/a", FROM)), passes);
    assert_eq!(status(&talk.say(&forward_auth("/api/b", FROM))), "200");
    let golden = "HTTP/1.1 429 Too Many Requests\r\n\
        Date: Thu, 01 Jan 2026 00:00:00 GMT\r\n\
        Access-Control-Allow-Origin: *\r\n\
        Access-Control-Expose-Headers: Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, \
        X-RateLimit-Reset, RateLimit, RateLimit-Policy, X-Rejection-Count, Tollgate-Decision-Id, Tollgate-Reason, Tollgate-Fallback\r\n\
        Content-Type: application/json\r\n\
        X-RateLimit-Limit: 2\r\n\
        X-RateLimit-Remaining: 0\r\n\
        X-RateLimit-Reset: 1767225660\r\n\
        Retry-After: 60\r\n\
        Tollgate-Reason: throttled\r\n\
        Tollgate-Decision-Id: 0000000000000000-00000003\r\n\
        Content-Length: 272\r\n\
        \r\n\
        {\"allowed\":false,\"limit\":2,\"remaining\":0,\"reset\":1767225660,\"retry_after\":60,\
        \"retry_after_ms\":60000,\"rule\":\"api\",\"reason\":\"throttled\",\"revision\":7,\
        \"decision_id\":\"0000000000000000-00000003\",\"limits\":[{\"rule\":\"api\",\
        \"limit\":2,\"window_s\":60,\"remaining\":0,\"reset\":1767225660}]}";
    assert_eq!(talk.say(&forward_auth("/api/c", FROM)), golden);
    let problem = format!("{FROM}Accept: application/problem+json\r\n");
    let said = talk.say(&forward_auth("/api/c", &problem));
    assert_eq!(header(&said, "Content-Type"), Some("application/problem+json"));
}

/// SPEC 12.15: a path without a normal form is no way around the limits.
#[test]
fn a_malformed_path_is_denied() {
    let mut talk = Talk::under(RULES);
    for uri in [
        "/%00",
        "/../etc",
        "/a/%2e%2e/../..",
        "/%ff",
        "/%zz",
        "api",
        "*",
        "/api//../login",
        "/api//%2e%2E/login",
        "/api//x/../../login",
        "/api/login//..",
        "//x/api/login",
        "/api\\login",
        "/x#/../api/login",
    ] {
        let said = talk.say(&nginx(uri, FROM));
        assert_eq!(status(&said), "403", "{uri}: {said}");
        assert_eq!(header(&said, "Tollgate-Status"), Some("400"), "{uri}");
        let told = header(&said, "Tollgate-Body").unwrap();
        assert!(told.contains("\"status\":400,\"detail\":\"endpoint: path "), "{told}");
        let said = talk.say(&forward_auth(uri, FROM));
        assert_eq!(status(&said), "400", "{uri}");
    }
    let mut raw = nginx("/api/", FROM);
    let place = raw.windows(5).position(|part| part == b"/api/").unwrap();
    raw.insert(place + 5, 0xe9);
    let said = talk.say(&raw);
    assert_eq!(header(&said, "Tollgate-Status"), Some("400"), "{said}");
}

/// A gateway that does not say what it is asked for would let everybody pass: it must hear of it.
#[test]
fn a_gateway_that_is_not_set_up_is_told_so() {
    let mut talk = Talk::under(RULES);
    for (path, headers, wanted) in [
        (
            "nginx",
            "",
            "needs the header X-Original-URI from the gateway: see `tollgate snippet nginx`",
        ),
        ("nginx", "X-Original-URI:\r\nX-Original-Method: GET\r\n", "X-Original-URI from"),
        ("nginx", "X-Original-URI: /\r\n", "X-Original-Method from"),
        (
            "nginx",
            "X-Original-URI: /\r\nX-Original-URI: /b\r\nX-Original-Method: GET\r\n",
            "X-Original-URI once, it is there twice",
        ),
        ("forward-auth", "X-Forwarded-Method: GET\r\n", "X-Forwarded-Uri from"),
    ] {
        let said = talk
            .say(format!("GET /gateway/{path} HTTP/1.1\r\nHost: a\r\n{headers}\r\n").as_bytes());
        assert_eq!(status(&said), "400", "{headers}");
        assert!(body(&said).contains(wanted), "{said}");
    }
}

#[test]
fn without_rules_nobody_is_told_that_he_may_pass() {
    let mut talk = Talk::without_rules();
    assert_eq!(status(&talk.say(&nginx("/", FROM))), "503");
    assert_eq!(status(&talk.say(&forward_auth("/", FROM))), "503");
}

/// Whatever method the gateway asks by: a preflight would be let pass otherwise.
#[test]
fn every_method_is_a_question() {
    let mut talk = Talk::under("rules: [{ name: out, action: block }]");
    for method in ["GET", "POST", "OPTIONS", "PUT", "TRACE"] {
        let said = talk.say(
            format!(
                "{method} /gateway/forward-auth HTTP/1.1\r\nHost: a\r\nX-Forwarded-Uri: /\r\n\
                 X-Forwarded-Method: {method}\r\nContent-Encoding: gzip\r\n\r\n"
            )
            .as_bytes(),
        );
        assert_eq!(status(&said), "403", "{method}: {said}");
    }
}

/// 1,000 forged addresses from one who is no proxy are one bucket, and nobody else's.
#[test]
fn forged_addresses_are_one_bucket() {
    let mut talk = Talk::under(RULES);
    talk.reconnect_from(OUTSIDER);
    let mut passed = 0;
    for number in 0..1_000_u32 {
        let forged = Ipv4Addr::from_bits(number.wrapping_mul(0x9e37_79b9));
        let more = format!(
            "X-Forwarded-For: {forged}\r\nX-Real-IP: {forged}\r\nForwarded: for={forged}\r\n"
        );
        let said = talk.say(&nginx("/api/a", &more));
        passed += u32::from(status(&said) == "204");
    }
    assert_eq!(passed, 2);
    // Whoever was named has its whole budget.
    talk.reconnect();
    let victim = format!("X-Forwarded-For: {}\r\n", Ipv4Addr::from_bits(0x9e37_79b9));
    let said = talk.say(&nginx("/api/a", &victim));
    assert_eq!(header(&said, "X-RateLimit-Remaining"), Some("1"));
}

/// A proxy adds the address to what its client wrote: only what was added counts.
#[test]
fn what_a_client_wrote_before_the_proxy_counts_for_nothing() {
    let mut talk = Talk::under(RULES);
    let mut passed = 0;
    for number in 0..1_000_u32 {
        let forged = Ipv4Addr::from_bits(number.wrapping_mul(0x9e37_79b9));
        let more = format!(
            "X-Forwarded-For: {forged}, 192.0.2.7, 10.1.1.1\r\nX-Real-IP: {forged}\r\nForwarded: for={forged}\r\n"
        );
        let said = talk.say(&forward_auth("/api/a", &more));
        passed += u32::from(status(&said) == "200");
    }
    assert_eq!(passed, 2);
}
