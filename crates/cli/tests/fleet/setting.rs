//! The settings about Redis.
// Proves: O6

use tollgate_testkit::redis::Setup;

use crate::{
    common::Desk,
    rig::{Node, RULES},
};

#[test]
fn a_password_is_never_shown() {
    let redis = Setup::default().password("hunter2-hunter2").start();
    let node = Node::ready(&redis.url(), RULES);
    let url = redis.url();
    assert!(url.contains("hunter2"), "{url}");
    let shown = node.server.announcement.to_string();
    assert!(
        shown.contains(&format!(":***@{}", redis.address())),
        "{shown}"
    );
    let config = node.desk.line(&format!("config --redis {url}")).fine();
    let (status, log) = node.server.stop();
    assert!(status.success());
    for text in [&shown, &config.out, &log] {
        assert!(!text.contains("hunter2"), "{text}");
    }
}

#[test]
fn a_bad_address_is_told_at_the_start() {
    let desk = Desk::new();
    for (address, words) in [
        (
            "http://127.0.0.1",
            "address 1 begins with neither redis:// nor rediss://",
        ),
        (
            "redis://h:1,redis://u:hunter2@:2",
            "address 2 names no host",
        ),
    ] {
        let told = desk.line(&format!("serve --redis {address}")).with(1);
        let text = format!("{}{}", told.out, told.err);
        assert!(text.contains(words) && !text.contains("hunter2"), "{text}");
    }
    desk.line("serve --redis rediss://h --redis-ca none.pem")
        .with(1)
        .says("none.pem (--redis-ca)");
    desk.line("serve --check --redis rediss://h --redis-ca none.pem")
        .with(1)
        .says("none.pem (--redis-ca)");
}

/// By a flag several times, or with commas.
#[test]
fn addresses_add_up() {
    let desk = Desk::new();
    let told = desk
        .line("config --redis redis://a --redis redis://b,redis://c")
        .fine();
    told.says("redis://a,redis://b,redis://c");
}
