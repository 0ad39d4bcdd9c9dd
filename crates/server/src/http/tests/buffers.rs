//! Answers to gateways whose buffers are small.

// Proves: S4

use std::fmt::Write as _;

use super::{
    Talk,
    talk::{header, status},
};
use crate::{Fields, ResetAs};

/// Of both kinds of gateways.
const HEADERS: &str = "Host: tollgate\r\nX-Forwarded-For: 192.0.2.1\r\n\
    X-Original-URI: /api/a\r\nX-Original-Method: GET\r\n\
    X-Forwarded-Uri: /api/a\r\nX-Forwarded-Method: GET\r\n";

/// NGINX and HAProxy give up on a head that their buffers do not hold, and would let everybody pass.
#[test]
fn the_head_of_an_answer_stays_within_the_buffers_of_gateways() {
    let mut rules = String::from("rules:\n");
    for number in 0..200 {
        writeln!(
            rules,
            "- {{ name: rule-{number:0>120}, key: [ip], limit: 1/h, algorithm: fixed_window, \
             response: {{ message: \"{}\" }} }}",
            "\\u00e9".repeat(500)
        )
        .unwrap();
    }
    for (asked, wanted) in [
        ("GET /gateway/nginx", ["204", "403"]),
        ("GET /gateway/forward-auth", ["200", "429"]),
        ("HEAD /gateway/forward-auth", ["200", "429"]),
    ] {
        let mut talk = Talk::worded(&rules, Fields::Both, ResetAs::Epoch);
        for wanted in wanted {
            let said = talk.say(format!("{asked} HTTP/1.1\r\n{HEADERS}\r\n").as_bytes());
            assert_eq!(status(&said), wanted);
            let (head, _) = said.split_once("\r\n\r\n").unwrap();
            assert!(head.len() < 15 * 1024, "{asked}: {}", head.len());
            assert_eq!(header(&said, "X-RateLimit-Limit"), Some("1"));
            if wanted == "403" {
                let told = header(&said, "Tollgate-Body").unwrap();
                assert!(told.contains("\"limits\":[]"), "{told}");
            }
            let is_denied = ["403", "429"].contains(&wanted);
            assert_eq!(header(&said, "Retry-After").is_some(), is_denied);
        }
    }
}
