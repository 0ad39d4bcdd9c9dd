//! Rules for counters in Redis: what cannot be counted there, and what a counter's key is made of.
// Proves: C2

use tollgate_core::Timestamp;
use tollgate_rules::{
    Directory, Query, RuleSet, Snapshot, document, key_parts,
    review::{Severity, review, review_for_redis},
};

const HUGE: &str = "
version: 1
tiers:
  free: { rank: 1 }
  gold: { rank: 2, default: 10000000000000000/day }
rules:
  - { name: huge, key: [user], missing: shared, limits: [5/s, 10000000000000000/day] }
  - { name: here, key: [org], missing: shared, limit: 10000000000000000/day, consistency: local }
  - { name: fine, key: [ip], missing: shared, limit: 9000000000000000/day }
overrides:
  - { rule: fine, key: { ip: 10.0.0.7 }, factor: 2x }
  - { rule: fine, key: { ip: 10.0.0.8 }, limit: 7/day }
  - { rule: here, key: { org: acme }, factor: 2x }
  - { key: { user: bob }, limits: [10000000000000000/day] }
";

#[test]
fn every_limit_that_does_not_fit_is_named() {
    let set: RuleSet = HUGE.parse().unwrap();
    let flaws = review_for_redis(&set);
    let places: Vec<String> = flaws.iter().map(|flaw| flaw.at.to_string()).collect();
    let wanted = ["rule \"huge\", field limits", "tier \"gold\"", "override 1", "override 4"];
    assert_eq!(places, wanted);
    assert!(flaws.iter().all(|flaw| flaw.severity == Severity::Error));
    let remarks = review(&set);
    let remarks = remarks.iter().filter(|flaw| flaw.message.contains("Redis"));
    assert!(remarks.clone().all(|flaw| flaw.severity == Severity::Warning));
    assert_eq!(remarks.count(), wanted.len());
}

#[test]
fn a_file_is_refused_with_the_place() {
    let plain = document::read("rules.yaml", HUGE);
    assert!(plain.document.is_some());
    assert_eq!(plain.report.errors, 0);
    let shared = document::read_for_redis("rules.yaml", HUGE);
    assert!(shared.document.is_none());
    assert_eq!(shared.report.errors, 4);
    let text = shared.report.to_string();
    assert!(text.contains("rules.yaml:7:"), "{text}");
    assert!(!text.contains("warning"), "each is told once: {text}");
}

fn parts(rules: &str, query: &Query<'_>) -> String {
    let rules = format!("version: 1\nrules:\n  - {{ name: a, limit: 1/s, {rules} }}\n");
    let snapshot = Snapshot::compile(&rules.parse::<RuleSet>().unwrap(), 1);
    let plan = snapshot.plan(query, &Directory::new(), Timestamp::EPOCH);
    let charges = plan.charges();
    let mut told = Vec::new();
    key_parts(charges[0].key.values(), &mut |name, value| {
        told.push(format!("{name}={}", String::from_utf8_lossy(value)));
    });
    told.join(" ")
}

#[test]
fn a_key_is_told_in_parts() {
    let query = Query::new()
        .user("alice")
        .unwrap()
        .ip("2001:db8:1:2:3::4")
        .unwrap()
        .attribute("plan", "a=b c")
        .unwrap();
    assert_eq!(parts("key: [user]", &query), "user=alice");
    assert_eq!(
        parts("key: [attributes.plan, ip, user]", &query),
        "user=alice ip=2001:db8:1:2:: attributes.plan=a=b c"
    );
    assert_eq!(parts("key: []", &query), "");
    assert_eq!(parts("key: [org], missing: shared", &query), "shared=");
    let four = Query::new().ip("10.0.0.7").unwrap();
    assert_eq!(parts("key: [ip]", &four), "ip=10.0.0.7");
}

/// What is no key ends where it cannot be read.
#[test]
fn bytes_that_are_no_key_do_no_harm() {
    for bytes in [&[1][..], &[1, 0, 0, 0, 9, b'a'], &[9, 0, 0, 0, 1, b'x'], &[200, 1, 2]] {
        key_parts(bytes, &mut |_, _| panic!("{bytes:?}"));
    }
}
