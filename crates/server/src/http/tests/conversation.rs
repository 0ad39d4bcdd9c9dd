//! How a conversation goes: order, pieces, and its end.

// Proves: S1, S5

use tollgate_testkit::rounds;

use super::{
    Talk,
    talk::{body, header, post, status, unnamed},
};
use crate::{
    engine::at_once,
    listen::{OUTPUT_BYTES_HIGH, Session as _, Then},
};

const RULES: &str = "rules: [{ name: login, key: [user], limit: 100000/min }]";

/// Everything a client can send, one after the other.
fn medley() -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(post("/ratelimit/check", "", r#"{"user_id":"ann"}"#));
    bytes.extend(post("/ratelimit/check", "", r#"{"user":"ann"}"#));
    bytes.extend(post("/ratelimit/check", "", r#"{"user_id":"bob"}"#));
    bytes.extend(b"\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
    bytes.extend(post("/ratelimit/check", "Expect: 100-continue\r\n", r#"{"user_id":"ann"}"#));
    bytes.extend(
        b"POST /ratelimit/check HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\
          5;x=\"y\"\r\n{\"use\r\nC\r\nr_id\":\"ann\"}\r\n0\r\nX: y\r\n\r\n",
    );
    bytes.extend(b"HEAD /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
    bytes.extend(b"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n");
    bytes.extend(b"GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n");
    bytes.extend(post("/ratelimit/check/batch", "", r#"{"requests":[{"user_id":"ann"}]}"#));
    bytes.extend(post("http://a/ratelimit/peek", "", r#"{"user_id":"ann"}"#));
    bytes.extend(post("/ratelimit/check", "Connection: close\r\n", r#"{"user_id":"ann"}"#));
    bytes
}

#[test]
fn however_the_bytes_are_cut_the_answers_are_the_same() {
    let bytes = medley();
    let (whole, then) = Talk::under(RULES).say_all(&bytes, bytes.len());
    assert_eq!(then, Then::Close);
    for answer in ["200 OK", "400 Bad", "100 Continue", "204 No", "404 Not"] {
        assert!(whole.contains(&format!("HTTP/1.1 {answer}")), "{whole}");
    }
    assert!(whole.ends_with("}]}"), "{whole}");
    for piece in [1, 2, 3, 5, 7, 64, 251] {
        let (cut, then) = Talk::under(RULES).say_all(&bytes, piece);
        assert_eq!((cut, then), (whole.clone(), Then::Close), "pieces of {piece}");
    }
    let cuts = u32::try_from(bytes.len()).unwrap();
    let stride = cuts / rounds(cuts);
    for at in (1..bytes.len()).step_by(stride as usize) {
        let mut talk = Talk::under(RULES);
        let (first, second) = bytes.split_at(at);
        let mut said = Vec::new();
        let mut input = first.to_vec();
        let step = at_once(talk.session.advance(&input, &mut said)).unwrap();
        input.drain(..step.taken);
        input.extend_from_slice(second);
        at_once(talk.session.advance(&input, &mut said)).unwrap();
        assert_eq!(unnamed(&said), whole, "cut at {at}");
    }
}

#[test]
fn thousands_in_a_pipeline_are_answered_in_order() {
    let mut talk = Talk::under(RULES);
    let mut bytes = Vec::new();
    for user in 0..5_000 {
        let asked = format!(r#"{{"user_id":"u{}","cost":{user}}}"#, user % 7);
        bytes.extend(post("/ratelimit/peek", "", &asked));
        bytes.extend(post("/ratelimit/check", "", r#"{"user_id":"ann"}"#));
    }
    let said = talk.say(&bytes);
    let ids = said.match_indices("Tollgate-Decision-Id: ");
    let ids: Vec<&str> =
        ids.filter_map(|(at, mark)| said.get(at + mark.len() + 17..)?.get(..8)).collect();
    assert_eq!(ids.len(), 10_000);
    assert!(ids.is_sorted());
    let last = said.rsplit("\r\n\r\n").next().unwrap();
    assert!(last.contains(r#""remaining":95000"#), "{last}");
}

/// A client that does not read cannot make us remember its answers.
#[test]
fn the_output_is_bounded() {
    let mut talk = Talk::under(RULES);
    let one = post("/ratelimit/check", "", r#"{"user_id":"ann"}"#);
    let bytes = one.repeat(10_000);
    let mut output = Vec::new();
    let step = at_once(talk.session.advance(&bytes, &mut output)).unwrap();
    assert_eq!(step.then, Then::Again);
    assert!(output.len() < OUTPUT_BYTES_HIGH + 64 * 1_024, "{}", output.len());
    let full = output.len();
    let rest = bytes.get(step.taken..).unwrap();
    let again = at_once(talk.session.advance(rest, &mut output)).unwrap();
    assert_eq!((again.taken, again.answered, again.then), (0, 0, Then::Again));
    assert_eq!(output.len(), full);
    assert_eq!(step.taken, usize::try_from(step.answered).unwrap() * one.len());
}

#[test]
fn a_head_has_no_body_and_a_preflight_costs_nothing() {
    let mut talk = Talk::under("rules: [{ name: all, key: [], limit: 1/day }]");
    let said = talk.say(b"HEAD /readyz HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!((status(&said), body(&said)), ("200", ""));
    let length = header(&said, "Content-Length").unwrap().to_owned();
    let said = talk.say(b"GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n");
    let ready: serde_json::Value = serde_json::from_str(body(&said)).unwrap();
    assert_eq!((&ready["ready"], &ready["revision"]), (&true.into(), &7.into()));
    assert_eq!(body(&said).len().to_string(), length);
    let said = talk.say(b"HEAD /ratelimit/check HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!((status(&said), body(&said)), ("405", ""));
    for _ in 0..3 {
        let said =
            talk.say(b"OPTIONS /ratelimit/check HTTP/1.1\r\nHost: a\r\nOrigin: https://b\r\n\r\n");
        assert_eq!((status(&said), body(&said)), ("204", ""));
        assert_eq!(header(&said, "Access-Control-Allow-Origin"), Some("*"));
        assert_eq!(
            header(&said, "Access-Control-Allow-Headers"),
            Some("Authorization, Content-Type")
        );
        assert_eq!(header(&said, "Content-Length"), None);
    }
    let said = talk.post("/ratelimit/check", r#"{"user_id":"ann"}"#);
    assert_eq!(status(&said), "200");
}

#[test]
fn old_clients_close_unless_they_ask() {
    let mut talk = Talk::under(RULES);
    let said = talk.say(b"GET /healthz HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n");
    assert_eq!(header(&said, "Connection"), Some("keep-alive"));
    let said = talk.say_last(b"GET /healthz HTTP/1.0\r\n\r\n");
    assert_eq!(header(&said, "Connection"), Some("close"));
}

#[test]
fn winding_down_says_so_in_the_next_answer() {
    let mut talk = Talk::under(RULES);
    let one = post("/ratelimit/check", "", r#"{"user_id":"ann"}"#);
    let (half, rest) = one.split_at(20);
    talk.say(half);
    assert!(!talk.session.is_idle());
    talk.session.wind_down();
    let mut input = half.to_vec();
    input.extend_from_slice(rest);
    input.extend_from_slice(&one);
    let mut output = Vec::new();
    let step = at_once(talk.session.advance(&input, &mut output)).unwrap();
    assert_eq!((step.taken, step.answered, step.then), (one.len(), 1, Then::Close));
    let said = String::from_utf8(output).unwrap();
    assert_eq!(header(&said, "Connection"), Some("close"));
}

#[test]
fn who_is_too_slow_is_told_if_a_request_was_begun() {
    let mut talk = Talk::under(RULES);
    let mut output = Vec::new();
    talk.session.too_slow(&mut output);
    assert!(output.is_empty(), "an idle client did nothing wrong");
    assert!(talk.session.is_idle());
    talk.say(b"\r\n");
    assert!(talk.session.is_idle());
    talk.reconnect();
    let head = b"POST /ratelimit/check HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{";
    talk.say(head);
    assert!(!talk.session.is_idle());
    talk.session.too_slow(&mut output);
    let said = String::from_utf8(output).unwrap();
    assert_eq!(status(&said), "408");
    assert_eq!(header(&said, "Connection"), Some("close"));
}

#[test]
fn a_revision_that_comes_later_decides_what_comes_later() {
    let mut talk = Talk::without_rules();
    let said = talk.post("/ratelimit/check", r#"{"user_id":"ann"}"#);
    assert_eq!(status(&said), "503");
    talk.live.publish(&tollgate_rules::RuleSet::default(), 9);
    let said = talk.post("/ratelimit/check", r#"{"user_id":"ann"}"#);
    assert!(body(&said).contains(r#""revision":9"#), "{said}");
}
