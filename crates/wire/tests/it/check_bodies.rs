//! Bodies of checks: what is read, and in which words the rest is refused.

// Proves: S1

use std::borrow::Cow;

use tollgate_wire::check::{ATTRIBUTES_MAX, Purpose, read_batch, read_body};

fn wrong(text: &str) -> String {
    match read_body(text.as_bytes(), Purpose::Check) {
        Ok(body) => panic!("{text}: {body:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn every_field_is_read() {
    let text = r#" { "user_id" : "u", "org_id":"o","api_key":"k","ip":"::1","tier":"t",
        "endpoint":"/a","method":"GET","region":"r","attributes":{"plan":"trial","n":null,"é":"ü"},
        "cost":18446744073709551615,"scope":"user","request_id":"id" } "#;
    let body = read_body(text.as_bytes(), Purpose::Check).unwrap();
    let texts = [
        &body.user_id,
        &body.org_id,
        &body.api_key,
        &body.ip,
        &body.tier,
        &body.endpoint,
        &body.method,
        &body.region,
        &body.scope,
        &body.request_id,
    ];
    let texts = texts.map(|text| text.as_deref().unwrap());
    assert_eq!(texts, ["u", "o", "k", "::1", "t", "/a", "GET", "r", "user", "id"]);
    assert_eq!(body.cost, Some(u64::MAX));
    let attributes: Vec<(&str, &str)> = body.attributes.iter().map(|(n, v)| (&**n, &**v)).collect();
    assert_eq!(attributes, [("plan", "trial"), ("é", "ü")]);
    let deed = read_body(br#"{"rule":"login"}"#, Purpose::Deed).unwrap();
    assert_eq!(deed.rule.as_deref(), Some("login"));
}

#[test]
fn null_is_absent_and_escapes_are_undone() {
    let body = read_body(
        br#"{"user_id":null,"org_id":"a\u00e9\n\ud83d\ude00\/","tier":"plain","cost":null,"attributes":null}"#,
        Purpose::Check,
    )
    .unwrap();
    assert_eq!((&body.user_id, body.cost), (&None, None));
    assert_eq!(body.org_id.as_deref(), Some("aé\n\u{1f600}/"));
    assert!(matches!(body.tier, Some(Cow::Borrowed("plain"))));
    assert!(read_body(b"{}", Purpose::Check).is_ok());
}

const FIELDS_WRONG: &[(&str, &str)] = &[
    (r#"{"user":"a"}"#, "unknown field `user`: did you mean `user_id`? (line 1, column 2)"),
    (
        "{\n  \"endpiont\": \"/\"}",
        "unknown field `endpiont`: did you mean `endpoint`? (line 2, column 3)",
    ),
    (
        r#"{"é":1,"user_id":2}"#,
        "unknown field `é`: the fields are user_id, org_id, api_key, token, ip, tier, endpoint, method, region, attributes, cost, scope, request_id (line 1, column 2)",
    ),
    (
        r#"{"é\u0007":1}"#,
        "unknown field `é\u{fffd}`: the fields are user_id, org_id, api_key, token, ip, tier, endpoint, method, region, attributes, cost, scope, request_id (line 1, column 2)",
    ),
    (r#"{"user_id":"a","user_id":"a"}"#, "field `user_id` is given twice (line 1, column 16)"),
    (r#"{"user_id":null,"user_id":"a"}"#, "field `user_id` is given twice (line 1, column 17)"),
    (r#"{"user_id":42}"#, "`user_id` must be a string, not a number (line 1, column 12)"),
    (r#"{"user_id":["a"]}"#, "`user_id` must be a string, not an array (line 1, column 12)"),
    (r#"{"tier":true}"#, "`tier` must be a string, not a boolean (line 1, column 9)"),
    (
        r#"{"attributes":"a"}"#,
        "`attributes` must be an object of strings, not a string (line 1, column 15)",
    ),
    (
        r#"{"attributes":{"n":5}}"#,
        "`attributes.n` must be a string, not a number (line 1, column 20)",
    ),
    (r#"{"cost":"5"}"#, "`cost` must be a whole number, not a string (line 1, column 9)"),
    (
        r#"{"cost":-1}"#,
        "`cost` must be a whole number from 0 to 18446744073709551615, not -1 (line 1, column 9)",
    ),
    (
        r#"{"cost":1.5}"#,
        "`cost` must be a whole number from 0 to 18446744073709551615, not 1.5 (line 1, column 9)",
    ),
    (
        r#"{"cost":1e3}"#,
        "`cost` must be a whole number from 0 to 18446744073709551615, not 1e3 (line 1, column 9)",
    ),
    (
        r#"{"cost":18446744073709551616}"#,
        "`cost` must be a whole number from 0 to 18446744073709551615, not 18446744073709551616 (line 1, column 9)",
    ),
    (r#"{"rule":"a"}"#, "field `rule` is for peek, refund and reset only (line 1, column 2)"),
];

const BODIES_WRONG: &[(&str, &str)] = &[
    ("[]", "the body must be an object, not an array (line 1, column 1)"),
    ("", "the body is empty: send a JSON object (line 1, column 1)"),
    ("{\n", "the body is not JSON: expected a string (line 2, column 1)"),
    ("{\"user_id\" \"a\"}", "the body is not JSON: expected `:` (line 1, column 12)"),
    ("{\"user_id\":\"a\" \"b\"}", "the body is not JSON: expected `,` or `}` (line 1, column 16)"),
    ("{\"user_id\":\"a\",}", "the body is not JSON: expected a string (line 1, column 16)"),
    ("{\"user_id\":\"a", "the body is not JSON: expected the end of a string (line 1, column 14)"),
    (
        "{\"user_id\":\"a\nb\"}",
        "the body is not JSON: expected no control character in a string (line 1, column 14)",
    ),
    ("{\"user_id\":\"\\q\"}", "the body is not JSON: expected an escape (line 1, column 14)"),
    (
        "{\"user_id\":\"\\ud800\"}",
        "the body is not JSON: expected both halves of a surrogate pair (line 1, column 19)",
    ),
    ("{} x", "the body is not JSON: expected the end of the body (line 1, column 4)"),
    ("{\"cost\":01}", "the body is not JSON: expected `,` or `}` (line 1, column 10)"),
    ("{\"cost\":nil}", "the body is not JSON: expected a value (line 1, column 9)"),
];

#[test]
fn what_is_wrong_is_named_with_its_place() {
    for (text, message) in FIELDS_WRONG.iter().chain(BODIES_WRONG) {
        assert_eq!(wrong(text), *message, "{text}");
    }
    let error = read_body(b"{\"user_id\":\"\xff\"}", Purpose::Check).unwrap_err();
    assert_eq!(error.to_string(), "the body is not UTF-8 (line 1, column 13)");
}

#[test]
fn depth_and_attributes_are_bounded() {
    let deep = format!(r#"{{"a":{}1{}}}"#, "[".repeat(15), "]".repeat(15));
    assert!(wrong(&deep).starts_with("unknown field `a`"), "{}", wrong(&deep));
    let deeper = format!(r#"{{"a":{}1{}}}"#, "[".repeat(16), "]".repeat(16));
    assert!(wrong(&deeper).starts_with("the body is nested"), "{}", wrong(&deeper));
    let attributes = |count: usize| {
        let members: Vec<String> = (0..count).map(|n| format!(r#""a{n}":"x""#)).collect();
        format!(r#"{{"attributes":{{{}}}}}"#, members.join(","))
    };
    let most = attributes(ATTRIBUTES_MAX);
    assert!(read_body(most.as_bytes(), Purpose::Check).is_ok());
    assert!(wrong(&attributes(ATTRIBUTES_MAX + 1)).contains("more than 64 members"));
    let long = format!(r#"{{"{}":1}}"#, "x".repeat(100_000));
    assert!(wrong(&long).len() < 300);
}

#[test]
fn a_bad_request_does_not_hurt_the_others() {
    let text = "{\"requests\": [\n{\"user_id\":\"a\"},\n{\"user\":{\"x\":[1,2]},\"cost\":-1},\n7,\n{\"cost\":2}]}";
    let batch = read_batch(text.as_bytes()).unwrap();
    assert_eq!(batch.len(), 4);
    assert_eq!(batch[0].as_ref().unwrap().user_id.as_deref(), Some("a"));
    let message = |place: usize| batch[place].as_ref().unwrap_err().to_string();
    assert_eq!(message(1), "unknown field `user`: did you mean `user_id`? (line 3, column 2)");
    assert_eq!(message(2), "a request must be an object, not a number (line 4, column 1)");
    assert_eq!(batch[3].as_ref().unwrap().cost, Some(2));
    for (text, message) in [
        ("{}", "field `requests` is missing: send {\"requests\":[…]} (line 1, column 1)"),
        (
            r#"{"request":[]}"#,
            "unknown field `request`: did you mean `requests`? (line 1, column 2)",
        ),
        (r#"{"x":[]}"#, "unknown field `x`: a batch has only `requests` (line 1, column 2)"),
        (r#"{"requests":[],"requests":[]}"#, "field `requests` is given twice (line 1, column 16)"),
        (r#"{"requests":7}"#, "`requests` must be an array, not a number (line 1, column 13)"),
    ] {
        let error = read_batch(text.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), message, "{text}");
    }
}
