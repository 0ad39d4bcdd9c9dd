//! The answers, field by field.

use std::time::Duration;

use prost_types::value::Kind;
use tollgate_rls::{RateLimitResponse, RateLimitUnit, Unit};

use super::rig::{Described as _, Envoy, descriptor, request, said};
use crate::Fields;

const RULES: &str = "
  - { name: login, match: { descriptor: [[path, /login], [remote_address]] }, key: [ip], limit: 2/min,
      algorithm: fixed_window, response: { message: slow down } }
  - { name: tenants, match: { descriptor: [[tenant]] }, key: [attributes.tenant], limit: 5/h, algorithm: fixed_window }
  - { name: open, match: { attributes: { tenant: us } }, action: allow, priority: 1 }
  - { name: closed, match: { attributes: { tenant: evil } }, action: block, priority: 1 }
";

fn login(address: &str) -> tollgate_rls::RateLimitDescriptor {
    descriptor(&format!("path=/login, remote_address={address}"))
}

fn headers(response: &RateLimitResponse) -> Vec<(&str, &str)> {
    let headers = response.response_headers_to_add.iter();
    headers.map(|header| (header.key.as_str(), header.value.as_str())).collect()
}

// Proves: S2
#[test]
fn a_status_says_what_the_limit_is_and_what_is_left() {
    let envoy = Envoy::of(RULES);
    envoy.clock.advance(Duration::from_millis(1_500));
    let first = envoy.ask(&[login("192.0.2.1")]);
    let status = &first.statuses[0];
    let limit = status.current_limit.as_ref().unwrap();
    assert_eq!((first.overall_code, status.code), (1, 1));
    assert_eq!((limit.requests_per_unit, limit.unit()), (2, Unit::Minute));
    assert_eq!((limit.name.as_str(), status.limit_remaining), ("login", 1));
    let reset = status.duration_until_reset.unwrap();
    assert_eq!(reset.nanos, 0, "whole seconds, rounded up");
    assert!(reset.seconds > 0 && reset.seconds <= 60, "{reset:?}");
    assert!(first.response_headers_to_add.is_empty());
    assert!(first.request_headers_to_add.is_empty());
    assert!(first.raw_body.is_empty());
}

// Proves: S2, S5
#[test]
fn a_denial_says_how_long_to_wait_and_what_the_rule_says() {
    let envoy = Envoy::of(RULES);
    let asked = [login("192.0.2.1")];
    assert_eq!(envoy.says(&asked), "ok 1");
    assert_eq!(envoy.says(&asked), "ok 0");
    let denied = envoy.ask(&asked);
    assert_eq!(said(&denied), "over 0");
    assert_eq!(denied.raw_body, "slow down");
    let [("Retry-After", wait), ("tollgate-reason", "throttled")] = headers(&denied)[..] else {
        panic!("{denied:?}");
    };
    let wait: i64 = wait.parse().unwrap();
    assert_eq!(wait, denied.statuses[0].duration_until_reset.unwrap().seconds);
    envoy.clock.advance(Duration::from_secs(60));
    assert_eq!(envoy.says(&asked), "ok 1");
}

// Proves: S2, D4
#[test]
fn all_descriptors_pass_or_none() {
    let envoy = Envoy::of(RULES);
    let (alice, tenant) = (login("192.0.2.1"), descriptor("tenant=acme"));
    let both = [tenant.clone(), alice.clone()];
    assert_eq!(envoy.says(&both), "ok 4, ok 1");
    assert_eq!(envoy.says(&both), "ok 3, ok 0");
    for _ in 0..10 {
        assert_eq!(envoy.says(&both), "ok 3, over 0", "the tenant is not charged");
    }
    let [tenant_first, alice_first] = [[tenant.clone(), alice.clone()], [alice, tenant.clone()]];
    assert_eq!(envoy.says(&tenant_first), "ok 3, over 0");
    assert_eq!(envoy.says(&alice_first), "over 0, ok 3", "in the order asked");
    assert_eq!(envoy.says(&[tenant.clone(), tenant.clone(), tenant]), "ok 2, ok 1, ok 0");
}

// Proves: S2
#[test]
fn what_no_rule_is_about_passes_without_a_limit() {
    let envoy = Envoy::of(RULES);
    let response = envoy.ask(&[
        descriptor("other=1"),
        descriptor("tenant=us"),
        descriptor("tenant=a, more=b"),
    ]);
    assert_eq!(said(&response), "ok 0, ok 4294967295, ok 0");
    assert!(response.statuses.iter().all(|status| status.current_limit.is_none()));
}

#[test]
fn a_block_is_a_limit_of_nothing() {
    let envoy = Envoy::of(RULES);
    let response = envoy.ask(&[descriptor("tenant=evil"), descriptor("tenant=acme")]);
    assert_eq!(said(&response), "over 0, ok 5");
    let limit = response.statuses[0].current_limit.as_ref().unwrap();
    assert_eq!((limit.requests_per_unit, limit.name.as_str()), (0, "closed"));
    let why = [("tollgate-reason", "blocked")];
    assert_eq!(headers(&response), why, "waiting never helps");
}

// Proves: S2
#[test]
fn the_addend_of_a_descriptor_wins_over_that_of_the_request() {
    let envoy = Envoy::of(RULES);
    let tenant = || descriptor("tenant=acme");
    let mut asked = request(&[tenant(), tenant().weighing(1)]);
    asked.hits_addend = 2;
    assert_eq!(said(&envoy.send(&asked).unwrap()), "ok 3, ok 2");
    let over = envoy.ask(&[tenant().weighing(u64::MAX)]);
    assert_eq!(said(&over), "over 0");
    let why = [("tollgate-reason", "throttled")];
    assert_eq!(headers(&over), why, "it never fits");
    assert_eq!(envoy.says(&[tenant()]), "ok 1");
}

// Proves: S2
#[test]
fn an_addend_of_zero_only_looks() {
    let envoy = Envoy::of(RULES);
    let tenant = || descriptor("tenant=acme");
    for _ in 0..10 {
        assert_eq!(envoy.says(&[tenant().weighing(0)]), "ok 5");
    }
    assert_eq!(envoy.says(&[tenant().weighing(4)]), "ok 1");
    assert_eq!(envoy.says(&[tenant().weighing(0)]), "ok 1");
    assert_eq!(envoy.says(&[tenant()]), "ok 0");
    let looked = envoy.ask(&[tenant().weighing(0), login("192.0.2.1")]);
    assert_eq!(said(&looked), "over 0, ok 2", "it stops the others");
    assert_eq!(headers(&looked).len(), 2);
}

// Proves: S2
#[test]
fn a_descriptor_that_brings_its_limit_is_counted_by_that_alone() {
    let envoy = Envoy::of(RULES);
    let tenant = || descriptor("tenant=acme");
    let own = || tenant().limited(2, RateLimitUnit::Day);
    let first = envoy.ask(&[own()]);
    let limit = first.statuses[0].current_limit.as_ref().unwrap();
    assert_eq!((limit.requests_per_unit, limit.unit()), (2, Unit::Day));
    assert_eq!(envoy.says(&[own()]), "ok 0");
    assert_eq!(envoy.says(&[own()]), "over 0");
    assert_eq!(envoy.says(&[tenant()]), "ok 4", "the rule has not counted it");
    assert_eq!(
        envoy.says(&[tenant().limited(9, RateLimitUnit::Day)]),
        "ok 6",
        "a raised limit counts on"
    );
    let other = descriptor("tenant=other").limited(2, RateLimitUnit::Day);
    let other = [other];
    assert_eq!(envoy.says(&other), "ok 1", "another descriptor");
    let mut elsewhere = request(&other);
    elsewhere.domain = "elsewhere".into();
    assert_eq!(said(&envoy.send(&elsewhere).unwrap()), "ok 1", "another domain");
    assert_eq!(envoy.says(&[tenant().limited(0, RateLimitUnit::Second)]), "over 0");
    let evil = descriptor("tenant=evil").limited(9, RateLimitUnit::Day);
    assert_eq!(envoy.says(&[evil]), "over 0", "a block stays");
}

// Proves: S2, S5
#[test]
fn the_fields_are_added_that_the_setting_names() {
    let asked = [descriptor("tenant=acme")];
    let names = |fields| {
        let response = Envoy::of(RULES).adding(fields).ask(&asked);
        let names: Vec<String> =
            headers(&response).iter().map(|(name, _)| (*name).to_owned()).collect();
        names.join(" ")
    };
    let vendor = "X-RateLimit-Limit X-RateLimit-Remaining X-RateLimit-Reset";
    assert_eq!(names(Fields::Vendor), vendor);
    assert_eq!(names(Fields::Draft), "RateLimit-Policy RateLimit");
    assert_eq!(names(Fields::Both), format!("{vendor} RateLimit-Policy RateLimit"));
    let response = Envoy::of(RULES).adding(Fields::Draft).ask(&asked);
    assert_eq!(headers(&response)[0].1, "\"tenants\";q=5;w=3600");
}

// Proves: S2
#[test]
fn the_metadata_name_rule_and_decision() {
    let envoy = Envoy::of(RULES);
    let text = |response: &RateLimitResponse, name: &str| {
        let metadata = response.dynamic_metadata.as_ref().unwrap();
        match metadata.fields[name].kind.clone().unwrap() {
            Kind::StringValue(text) => text,
            Kind::BoolValue(value) => value.to_string(),
            Kind::NullValue(_) => "null".to_owned(),
            other => panic!("{other:?}"),
        }
    };
    let (one, two) = (envoy.ask(&[login("192.0.2.1")]), envoy.ask(&[descriptor("other=1")]));
    assert_eq!(text(&one, "rule"), "login");
    assert_eq!(text(&two, "rule"), "null");
    assert_eq!(text(&one, "reason"), "allowed");
    let evil = envoy.ask(&[descriptor("tenant=evil")]);
    assert_eq!(text(&evil, "reason"), "blocked");
    let odd = envoy.ask(&[login("192.0.2.1"), descriptor("path=/a/../../b")]);
    assert_eq!(text(&odd, "reason"), "malformed", "it stops the others");
    assert_eq!(text(&one, "allowed"), "true");
    assert_ne!(text(&one, "decision_id"), text(&two, "decision_id"));
}
