//! Whose counter it is.
// Proves: U4

use tollgate_wire::check::LimitTold;

use super::{KeyField, ToldLimit, Whom};
use crate::{Check, facts::Bytes};

fn written(field: &str, check: &Check<'_>) -> Bytes {
    let mut bytes = Bytes::new();
    KeyField::read(field).write(check, &mut bytes);
    bytes
}

#[test]
fn fields_are_read_as_the_protocol_writes_them() {
    let read = |text| KeyField::read(text);
    assert_eq!(read("user"), KeyField::User);
    assert_eq!(read("ip"), KeyField::Ip(None));
    assert_eq!(read("ip/64"), KeyField::Ip(Some(64)));
    assert_eq!(read("attributes.plan"), KeyField::Attribute("plan".into()));
    for text in ["", "ip/129", "ip/", "ip/-1", "claims.sub", "User"] {
        assert_eq!(read(text), KeyField::Unknown, "{text}");
    }
}

#[test]
fn limits_are_read_as_the_protocol_writes_them() {
    let limit = |per: &str, algorithm: &str, burst| LimitTold {
        rule: "r".into(),
        per: Some(per.into()),
        algorithm: Some(algorithm.into()),
        burst,
        key: vec!["user".into(), "ip/56".into()],
        ..LimitTold::default()
    };
    let read = |per, algorithm, burst| ToldLimit::read(&limit(per, algorithm, burst));
    let told = read("10/s", "token_bucket", Some(20)).unwrap();
    assert_eq!(told.per, tollgate_testkit::limit("10/s burst 20"));
    assert_eq!(*told.key, [KeyField::User, KeyField::Ip(Some(56))]);
    assert!(read("10/s", "sliding_window", None).is_some());
    assert!(read("10/s", "sliding_window", Some(3)).is_none());
    assert!(read("10/s", "custom", None).is_none());
    assert!(read("ten/s", "token_bucket", None).is_none());
    assert_eq!(told.whom, Whom::Everybody);
    let mut one = limit("10/s", "token_bucket", None);
    for rule in ["api-key:k1", "quota:ann"] {
        one.rule = rule.into();
        assert_eq!(ToldLimit::read(&one).unwrap().whom, Whom::OneBeside);
    }
    one.overridden = true;
    assert_eq!(ToldLimit::read(&one).unwrap().whom, Whom::OneInstead);
}

#[test]
fn an_address_counts_by_its_network() {
    let ip = |field, address: &'static str| written(field, &Check::new().ip(address));
    assert_eq!(ip("ip/64", "2001:db8::1"), ip("ip/64", "2001:db8:0:0:ffff::2"));
    assert_ne!(ip("ip/64", "2001:db8::1"), ip("ip/64", "2001:db8:0:1::1"));
    assert_ne!(ip("ip/128", "2001:db8::1"), ip("ip/128", "2001:db8::2"));
    assert_eq!(ip("ip/0", "2001:db8::1"), ip("ip/0", "fe80::1"));
    assert_eq!(ip("ip", "2001:db8::1"), ip("ip", "2001:db8::2"));
    // A prefix is one of IPv6 addresses.
    assert_ne!(ip("ip/64", "10.0.0.1"), ip("ip/64", "10.0.0.2"));
    assert_eq!(ip("ip/64", "::ffff:10.0.0.1"), ip("ip", "10.0.0.1"));
    assert_ne!(ip("ip", "not an address"), ip("ip", "nor this"));
}

#[test]
fn what_the_question_does_not_say_is_replaced_by_who_asks() {
    let token = |token: &'static str| Check::new().token(token).endpoint("/search");
    assert_ne!(written("user", &token("a")), written("user", &token("b")));
    assert_eq!(written("user", &token("a")), written("user", &token("a").method("GET")));
    assert_ne!(written("claims.sub", &token("a")), written("claims.sub", &token("b")));
    assert_ne!(written("ip", &token("a")), written("ip", &token("b")));
    let said = Check::new().user("ann").token("a");
    assert_eq!(written("user", &said), written("user", &Check::new().user("ann")));
}

#[test]
fn equal_values_of_different_fields_are_different() {
    let check = Check::new()
        .user("x")
        .org("x")
        .api_key("x")
        .ip("x")
        .tier("x")
        .method("x")
        .region("x")
        .endpoint("x")
        .attribute("x", "x");
    let fields = [
        "user",
        "org",
        "api_key",
        "ip",
        "tier",
        "method",
        "region",
        "endpoint",
        "attributes.x",
        "?",
    ];
    let values: std::collections::HashSet<Bytes> =
        fields.iter().map(|field| written(field, &check)).collect();
    assert_eq!(values.len(), fields.len());
}
