//! What is no question, and what must not be a way around the limits.

use tollgate_rls::{Entry, RateLimitDescriptor, RateLimitUnit};
use tonic::Code;

use super::rig::{Described as _, Envoy, descriptor, request, said};
use crate::rls::convert::Question;

const RULES: &str = "
  - { name: login, match: { endpoint: /login }, key: [], limit: 2/min, response: { message: no } }
  - { name: agents, match: { descriptor: [[agent]] }, key: [attributes.agent], limit: 1/min }
";

fn agent(value: &[u8]) -> RateLimitDescriptor {
    RateLimitDescriptor {
        entries: vec![Entry { key: "agent".into(), value: value.to_vec().into() }],
        limit: None,
        hits_addend: None,
    }
}

// Proves: S2
#[test]
fn a_question_without_domain_or_descriptors_is_an_error() {
    let envoy = Envoy::of(RULES);
    let mut nowhere = request(&[descriptor("a=b")]);
    nowhere.domain = " ".into();
    let error = envoy.send(&nowhere).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert!(error.message().contains("domain is empty"), "{error}");
    let error = envoy.send(&request(&[])).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert!(error.message().contains("no descriptors"), "{error}");
}

#[test]
fn questions_have_a_size() {
    let envoy = Envoy::of(RULES);
    let many = vec![descriptor("a=b"); Question::DESCRIPTORS_MAX];
    assert_eq!(envoy.ask(&many).statuses.len(), many.len());
    let more = vec![descriptor("a=b"); Question::DESCRIPTORS_MAX + 1];
    let error = envoy.send(&request(&more)).unwrap_err();
    assert!(error.message().contains("65 descriptors"), "{error}");

    let mut wide = descriptor("a=b");
    let entry = |number| Entry { key: format!("key-{number}").into(), value: "v".into() };
    wide.entries = (0..Question::ENTRIES_MAX).map(entry).collect();
    assert_eq!(envoy.says(&[wide.clone()]), "ok 0");
    wide.entries.push(entry(Question::ENTRIES_MAX));
    let error = envoy.send(&request(&[wide])).unwrap_err();
    assert!(error.message().contains("descriptor 0 has 64 entries"), "{error}");
}

#[test]
fn a_limit_without_unit_is_an_error() {
    let envoy = Envoy::of(RULES);
    let unknown = descriptor("a=b").limited(5, RateLimitUnit::Unknown);
    let error = envoy.send(&request(&[descriptor("a=b"), unknown.clone()])).unwrap_err();
    assert!(error.message().starts_with("descriptor 1: "), "{error}");
    let mut foreign = unknown;
    foreign.limit.as_mut().unwrap().unit = 99;
    assert!(envoy.send(&request(&[foreign])).is_err());
}

// Proves: S2
#[test]
fn without_rules_nothing_is_decided() {
    let envoy = Envoy::without_rules();
    let error = envoy.send(&request(&[descriptor("a=b")])).unwrap_err();
    assert_eq!(error.code(), Code::Unavailable, "never an answer that Envoy lets pass");
}

#[test]
fn bytes_that_are_no_text_are_counted() {
    let envoy = Envoy::of(RULES);
    let crooked = [agent(b"\xff\xfe\0\tMozilla")];
    assert_eq!(envoy.says(&crooked), "ok 0");
    assert_eq!(envoy.says(&crooked), "over 0");
    assert_eq!(envoy.says(&[agent(b"Mozilla")]), "ok 0");
}

#[test]
fn a_text_beyond_measure_is_counted_by_its_beginning() {
    let envoy = Envoy::of(RULES);
    let long = |end: &str| agent(format!("{}{end}", "x".repeat(4_000)).as_bytes());
    assert_eq!(envoy.says(&[long("a")]), "ok 0");
    assert_eq!(envoy.says(&[long("b")]), "over 0");
}

#[test]
fn a_path_without_normal_form_does_not_get_around_its_rules() {
    let envoy = Envoy::of(RULES);
    for spelling in ["/login", "/x/../login/?a=b"] {
        assert_eq!(
            said(&envoy.ask(&[descriptor(&format!("path={spelling}"))])).get(..2),
            Some("ok")
        );
    }
    assert_eq!(envoy.says(&[descriptor("path=/./login")]), "over 0");
    for crooked in [
        "/login%00",
        "/../login",
        "/%ff",
        "/x//../login",
        "//x/login",
        "/login//..",
        "/x\\..\\login",
        "/x#/../login",
    ] {
        let fine = agent(crooked.as_bytes());
        let response = envoy.ask(&[fine.clone(), descriptor(&format!("path={crooked}"))]);
        assert_eq!(said(&response), "ok 1, over 0", "{crooked}");
        let body = String::from_utf8(response.raw_body.to_vec()).unwrap();
        assert!(body.starts_with("path: "), "{body}");
        assert_eq!(envoy.says(&[fine]), "ok 0", "the other was not charged");
    }
}

#[test]
fn what_only_has_the_name_of_a_fact_is_an_attribute() {
    let envoy = Envoy::of(
        "  - { name: words, match: { descriptor: [[path, news], [method, any thing], [remote_address, all]] }, \
         key: [attributes.remote_address], limit: 1/min }",
    );
    let asked = [descriptor("path=news, method=any thing, remote_address=all")];
    assert_eq!(envoy.says(&asked), "ok 0");
    assert_eq!(envoy.says(&asked), "over 0");
}

#[test]
fn a_method_that_nobody_knows_does_not_get_around_a_rule() {
    let envoy = Envoy::of("  - { name: each, key: [ip, method], limit: 1/min }");
    let by = |method: &str| [descriptor(&format!("remote_address=fe80::1%eth0, method={method}"))];
    assert_eq!(envoy.says(&by("GET")), "ok 0");
    assert_eq!(envoy.says(&by("get")), "over 0");
    let denied = envoy.ask(&by("ABCDEFGHIJKLMNOPQRSTUVWXYZ"));
    assert_eq!(said(&denied), "over 0");
    assert!(denied.raw_body.starts_with(b"method: "), "{denied:?}");
}

#[test]
fn an_entry_that_comes_again_takes_nothing_away() {
    let envoy = Envoy::of("  - { name: users, key: [user], limit: 1/min }");
    assert_eq!(envoy.says(&[descriptor("user_id=alice, user_id=")]), "ok 0");
    assert_eq!(envoy.says(&[descriptor("user_id=alice, user_id=bob")]), "over 0");
}

#[test]
fn of_several_entries_with_one_key_the_first_is_the_attribute() {
    let envoy = Envoy::of("  - { name: first, key: [attributes.generic_key], limit: 1/min }");
    assert_eq!(envoy.says(&[descriptor("generic_key=a, generic_key=b")]), "ok 0");
    assert_eq!(envoy.says(&[descriptor("generic_key=a, generic_key=c")]), "over 0");
    let domain = Envoy::of("  - { name: domains, key: [attributes.domain], limit: 1/min }");
    assert_eq!(domain.says(&[descriptor("domain=mine")]), "ok 0");
    assert_eq!(
        domain.says(&[descriptor("domain=yours")]),
        "over 0",
        "the request's own comes first"
    );
}
