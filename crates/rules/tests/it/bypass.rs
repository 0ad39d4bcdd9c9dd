//! Ways around a limit that other limiters had: each must lead to the same counter, or be refused.

// Proves: R1, R3

use std::collections::BTreeSet;

use tollgate_rules::{EndpointPattern, KeyField, Query, QueryError, normalise};
use tollgate_testkit::Rng;

fn path_of(text: &str) -> Result<String, QueryError> {
    let query = Query::new().endpoint(text)?;
    Ok(query.path().unwrap_or_default().to_owned())
}

fn pattern(text: &str) -> EndpointPattern {
    text.parse().unwrap()
}

#[test]
fn every_spelling_of_a_path_is_one_path() {
    let spellings = [
        "/api/v1/login",
        "/api/v1/login/",
        "/api//v1///login",
        "/api//v1//x/../login//",
        "/./api/v1/./login/.",
        "/api/v1/x/../login",
        "/api/x/y/../../v1/login",
        "/api/v1/login/x/..",
        "/api/v1/%6cogin",
        "/%61%70%69/v1/login",
        "/api/%2e/v1/login",
        "/api/v1/x/%2e%2E/login",
        "/api/v1/x/.%2e/login",
        "/api/v1/login;x",
        "/api;a=1;b=2/v1;/login",
        "/api/v1/;x/login",
        "/api/v1/x;/../login",
        "/api/v1/login?next=/other",
        "/api/v1/login?",
        "/api/v1/login#top",
        "/api/v1/login#top?x",
        "/api/v1/login?x#top",
        "/api/v1/login?broken=%zz%00",
    ];
    let rule = pattern("/api/v1/login");
    for text in spellings {
        let path = path_of(text).unwrap();
        assert_eq!(path, "/api/v1/login", "{text}");
        assert!(rule.matches(&path), "{text}");
        assert_eq!(pattern(text), rule, "{text} as a pattern");
    }
}

#[test]
fn what_only_looks_alike_stays_apart() {
    let others = [
        ("/api/v1/Login", "/api/v1/Login"),
        ("/api/v1%2flogin", "/api/v1%2Flogin"),
        ("/api/v1%2Flogin", "/api/v1%2Flogin"),
        ("/api/v1%5clogin", "/api/v1%5Clogin"),
        ("/api/v1/x/%252e%252e/login", "/api/v1/x/%252e%252e/login"),
        ("/api/v1/login%3Bx", "/api/v1/login%3Bx"),
        ("/api/v1/login%3fx", "/api/v1/login%3Fx"),
        ("/api/v1/login%20", "/api/v1/login%20"),
        ("/api/v1/login ", "/api/v1/login%20"),
        ("/api/v1/...", "/api/v1/..."),
        ("/api/v1/login.", "/api/v1/login."),
    ];
    let rule = pattern("/api/v1/login");
    for (text, expected) in others {
        let path = path_of(text).unwrap();
        assert_eq!(path, expected, "{text}");
        assert!(!rule.matches(&path), "{text}");
    }
}

#[test]
fn what_nobody_should_ask_for_is_refused() {
    let texts = [
        "/api/v1/login%00",
        "/api/v1/login\0",
        "/api/v1/login%00.png",
        "/api/v1/login%0d%0aX: y",
        "/api/v1/../../../login",
        "/%2e%2e/login",
        "/internal/..;/login",
        "/internal/%2e%2E;x/login",
        "/internal/.;/login",
        "/internal/;/../login",
        "/internal/;/./../login",
        "/internal/;/x/../../login",
        // `/api/v1/login` to WHATWG URLs (Node, Deno), RFC 3986 and nginx without `merge_slashes`.
        "/api/v1//../login",
        "/api/v1//%2E./login",
        "/api/v1//./../login",
        "/api/v1//x/../../login",
        "/api/v1/login//..",
        "/api//../api/v1/login",
        // `/api/v1/login` on the host `x` to WHATWG URLs.
        "//x/api/v1/login",
        "///x/api/v1/login",
        "//api/v1/login",
        "/.//x/api/v1/login",
        "/a/..//x/api/v1/login",
        "/;x/api/v1/login",
        // Slashes to WHATWG URLs and to Envoy.
        "/api\\v1\\login",
        "/\\x/api/v1/login",
        "/x\\../api/v1/login",
        // A name with a `#` in it to Go and to uvicorn, which is climbed over.
        "/x#/../api/v1/login",
        "/api/v1/%ff",
        "/api/v1/%c0%ae%c0%ae/login",
        "/api/v1/%u006cogin",
        "/api/v1/login%",
        "api/v1/login",
    ];
    for text in texts {
        let error = path_of(text).unwrap_err();
        assert!(error.to_string().starts_with("endpoint: path "), "{text:?}: {error}");
        assert!(text.parse::<EndpointPattern>().is_err(), "{text:?} as a pattern");
    }
}

#[test]
fn letters_beyond_ascii_have_one_spelling() {
    let rule = pattern("/café/{drink}");
    assert_eq!(rule.as_str(), "/caf%C3%A9/{drink}");
    for text in ["/café/thé", "/caf%C3%A9/th%C3%A9", "/caf%c3%a9/th%c3%A9", "/%63afé/thé/"] {
        let path = path_of(text).unwrap();
        assert_eq!(path, "/caf%C3%A9/th%C3%A9", "{text}");
        assert!(rule.matches(&path), "{text}");
    }
    // Another form of the same letter is another path, as it is to a server.
    assert_ne!(path_of("/cafe\u{301}").unwrap(), path_of("/café").unwrap());
}

#[test]
fn placeholders_survive_normalisation_and_requests_cannot_forge_them() {
    for text in ["/users/{id}/*", "/users//{id}/./*/", "/%75sers/x/../{id}/*"] {
        assert_eq!(pattern(text).as_str(), "/users/{id}/*", "{text}");
    }
    assert_eq!(pattern("/files/**").as_str(), "/files/**");
    assert_eq!(path_of("/users/{id}").unwrap(), "/users/%7Bid%7D");
    assert_eq!(path_of("/users/%7bid%7d").unwrap(), "/users/%7Bid%7D");
    // An escaped brace or star is a letter.
    assert!(pattern("/users/%7Bid%7D").matches("/users/%7Bid%7D"));
    assert!(!pattern("/users/%7Bid%7D").matches("/users/42"));
    assert!(!pattern("/users/%2a").matches("/users/42"));
}

#[test]
fn a_rotating_segment_stays_in_one_pattern() {
    let rule = pattern("/users/{id}/orders");
    let mut rng = Rng::new(4);
    for _ in 0..10_000 {
        let id: String = (0..=rng.below(12))
            .map(|_| rng.pick(&["a", "7", "%41", "é", "%2F", ".", "~", "-", "%20", "{", "*"]))
            .collect();
        let text = format!("/users/x{id}/orders");
        assert!(rule.matches(&path_of(&text).unwrap()), "{text}");
    }
    assert!(!rule.matches("/users/orders"));
    assert!(!rule.matches("/users/1/2/orders"));
}

#[test]
fn addresses_of_one_ipv6_network_are_one_caller() {
    let prefix = KeyField::IPV6_PREFIX_DEFAULT;
    let mut rng = Rng::new(64);
    let mut counted = BTreeSet::new();
    for _ in 0..100_000 {
        let host = rng.word();
        let [a, b, c, d] = [48, 32, 16, 0].map(|shift| (host >> shift) & 0xffff);
        let text = format!("2001:DB8:0:1:{a:x}:{b:X}:{c:04x}:{d:x}");
        let query = Query::new().ip(&text).unwrap();
        counted.insert(normalise::network_of(query.ip_address().unwrap(), prefix));
    }
    assert_eq!(counted.len(), 1, "{counted:?}");
    let next_door = normalise::address("2001:db8:0:2::1").unwrap();
    assert!(!counted.contains(&normalise::network_of(next_door, prefix)));
}

#[test]
fn ipv4_in_the_clothes_of_ipv6_is_ipv4() {
    let plain = Query::new().ip("192.0.2.1").unwrap();
    for text in ["::ffff:192.0.2.1", "::FFFF:c000:201", "0:0:0:0:0:ffff:192.0.2.1", " 192.0.2.1 "] {
        let query = Query::new().ip(text).unwrap();
        assert_eq!(query.ip_address(), plain.ip_address(), "{text}");
    }
    // Not an address of the same host by any standard reading, or not an address at all.
    for text in
        ["192.0.2.01", "192.0.2.1:80", "0xc0000201", "3221225985", "[::1]", "fe80::1%eth0", "1.2.3"]
    {
        assert!(Query::new().ip(text).is_err(), "{text}");
    }
}

#[test]
fn identifiers_follow_the_declared_policy() {
    let user = |text: &'static str| Query::new().user(text).map(|query| query.user_name());
    assert_eq!(user("alice"), Ok(Some("alice")));
    assert_eq!(user("  alice\t"), Ok(Some("alice")));
    assert_eq!(user(""), Ok(None));
    assert_eq!(user(" \t "), Ok(None));
    // Byte for byte: case and the forms of Unicode differ.
    assert_ne!(user("Alice"), user("alice"));
    assert_ne!(user("re\u{301}my"), user("rémy"));
    for (text, code) in [
        ("a\0b", "U+0000"),
        ("a\nb", "U+000A"),
        ("a\u{7f}b", "U+007F"),
        ("hot\u{9b}31mX", "U+009B"),
        ("\u{85}", "U+0085"),
        ("bob\u{202e}ecila", "U+202E"),
        ("a\u{2066}b", "U+2066"),
        ("a\u{200f}", "U+200F"),
        ("\u{61c}a", "U+061C"),
        ("a\u{2028}b", "U+2028"),
    ] {
        let error = user(text).unwrap_err().to_string();
        assert_eq!(error, format!("user: holds a control character ({code})"));
        for refused in [
            Query::new().org(text).map(drop),
            Query::new().api_key(text).map(drop),
            Query::new().tier(text).map(drop),
            Query::new().region(text).map(drop),
            Query::new().attribute("a", text).map(drop),
            Query::new().attribute(text, "a").map(drop),
        ] {
            let error = refused.unwrap_err().to_string();
            assert!(error.ends_with(&format!("holds a control character ({code})")), "{error}");
        }
    }
    // Letters of scripts that are written from right to left, and joined pictures, are letters.
    assert_eq!(user("שלום"), Ok(Some("שלום")));
    assert_eq!(user("👩\u{200d}💻"), Ok(Some("👩\u{200d}💻")));
    let long = "a".repeat(normalise::IDENTIFIER_BYTES_MAX + 1);
    assert!(Query::new().org(&long).is_err());
    // A byte that is no text stays a byte of the counter's name, and apart from others.
    let (one, other) = (String::from_utf8_lossy(b"a\xff"), String::from_utf8_lossy(b"a"));
    assert_ne!(
        Query::new().user(&one).unwrap().user_name(),
        Query::new().user(&other).unwrap().user_name()
    );
    // Methods have one spelling.
    assert_eq!(
        Query::new().method("post").unwrap().method_name(),
        Query::new().method(" POST ").unwrap().method_name()
    );
}
