//! The settings about Redis, and limits that Redis cannot count exactly, before there is a Redis.
// Proves: O6

use crate::{common::Desk, real::fleet::RULES, serve::lifetime::refused};

pub(crate) const HUGE: &str = "10000000000000000/day";

pub(crate) fn with_huge(more: &str) -> String {
    format!("{RULES}  - {{ name: huge, key: [user], missing: shared, limit: {HUGE}{more} }}\n")
}

#[test]
fn a_file_with_too_large_a_limit_is_refused_with_its_place() {
    let desk = Desk::new();
    desk.write("rules.yaml", &with_huge(""));
    let serve = "serve --check --rules rules.yaml";
    let refused = desk.line(&format!("{serve} --redis redis://127.0.0.1:1")).with(1);
    refused
        .says("rules.yaml:10:")
        .says("is 10000000000000000, which cannot be counted exactly in Redis")
        .says("the largest is 9007199254740991");
    desk.line(serve).fine();
    // Whoever does not say where it will count is told in time.
    let told = desk.line("rules validate rules.yaml").fine();
    told.says("warning").says("cannot be counted exactly in Redis");
    desk.write("local.yaml", &with_huge(", consistency: local"));
    let quiet = desk.line("rules validate local.yaml").fine();
    assert!(!format!("{}{}", quiet.out, quiet.err).contains("cannot be counted"), "{quiet:?}");
}

#[test]
fn a_bad_address_is_told_at_the_start() {
    let desk = Desk::new();
    for (address, words) in [
        ("http://127.0.0.1", "address 1 begins with neither redis:// nor rediss://"),
        ("redis://h:1,redis://u:hunter2@:2", "address 2 names no host"),
    ] {
        let text = refused(&desk, &["--redis", address]);
        assert!(text.contains(words) && !text.contains("hunter2"), "{text}");
    }
    let text = refused(&desk, &["--redis", "rediss://h", "--redis-ca", "none.pem"]);
    assert!(text.contains("none.pem (--redis-ca)"), "{text}");
    desk.line("serve --check --redis rediss://h --redis-ca none.pem")
        .with(1)
        .says("none.pem (--redis-ca)");
}

/// By a flag several times, or with commas.
#[test]
fn addresses_add_up() {
    let desk = Desk::new();
    let told = desk.line("config --redis redis://a --redis redis://b,redis://c").fine();
    told.says("redis://a,redis://b,redis://c");
}
