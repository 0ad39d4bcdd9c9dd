//! The settings about Redis.
// Proves: O6

use tollgate_testkit::redis::Setup;

use super::rig::{Node, RULES};

#[test]
fn a_password_is_never_shown() {
    let redis = Setup::default().password("hunter2-hunter2").start();
    let node = Node::ready(&redis.url(), RULES);
    let url = redis.url();
    assert!(url.contains("hunter2"), "{url}");
    let shown = node.server.announcement.to_string();
    assert!(shown.contains(&format!(":***@{}", redis.address())), "{shown}");
    let config = node.desk.line(&format!("config --redis {url}")).fine();
    let (status, log) = node.server.stop();
    assert!(status.success());
    for text in [&shown, &config.out, &log] {
        assert!(!text.contains("hunter2"), "{text}");
    }
}
