//! What an operator sees of counters that Redis may have lost, and how to end it.
// Proves: C7, O6

use tollgate_testkit::{redis::Redis, wait_for};

use super::rig::{Node, RULES};
use crate::common::server::LONG;

/// The register knows of this many, and how long what they spend may count.
fn until_registered(redis: &Redis, count: usize) {
    wait_for("a register that knows of all", LONG, || {
        let register = redis.command(&["HVALS", "rl:{tollgate}:processes"]);
        let lives = register.lines().filter(|line| line.split(' ').count() == 6);
        let lives: Vec<&str> = lives.filter_map(|line| line.rsplit(' ').next()).collect();
        let are_known = lives.len() == count && lives.iter().all(|life| *life != "0");
        are_known.then_some(())
    });
}

/// All of ten a day, spent on one server.
fn spend_all(node: &Node) {
    for endpoint in ["/shut", "/leased"] {
        assert_eq!(node.passes(endpoint, "alice", 12), 10, "{endpoint}");
    }
}

#[test]
fn a_server_that_is_restarted_tells_what_it_spent_before() {
    let mut redis = Redis::start();
    let [node, other] = [(), ()].map(|()| Node::ready(&redis.url(), RULES));
    spend_all(&node);
    let node = node.stop().start();
    node.until_fine();
    wait_for("the log to say so", LONG, || {
        let log = node.server.log();
        log.contains("Going on with the journal").then_some(())
    });
    redis.restart();
    wait_for("a node that has noticed", LONG, || {
        (node.metric("tollgate_lease_asserted_keys_total") > 0).then_some(())
    });
    for node in [&node, &other] {
        node.until_fine();
        assert_eq!(node.passes("/shut", "alice", 3), 0, "it was spent before");
        assert_eq!(node.passes("/shut", "bob", 3), 3, "nothing is in doubt");
    }
}

#[test]
fn a_server_and_redis_that_both_restart_forget_nothing() {
    let mut redis = Redis::start();
    let node = Node::ready(&redis.url(), RULES);
    spend_all(&node);
    let stopped = node.stop();
    redis.restart();
    let node = stopped.start();
    node.until_fine();
    assert_eq!(node.passes("/shut", "alice", 3), 0, "it was spent before");
    assert_eq!(node.passes("/shut", "bob", 3), 3, "nothing is in doubt");
}

/// Nothing but the catalog knows that it was there.
#[test]
fn a_server_that_was_killed_together_with_redis_is_awaited() {
    let mut redis = Redis::start();
    let node = Node::ready(&redis.url(), RULES);
    spend_all(&node);
    until_registered(&redis, 1);
    let killed = node.kill();
    redis.restart();
    let journal = killed.desk.path("tollgate-data/journal.txt");
    assert!(!std::fs::exists(&journal).unwrap() || std::fs::remove_file(&journal).is_ok());
    let node = killed.start();
    node.until_degraded(&["may be in doubt until 20"]);
    for user in ["alice", "bob"] {
        assert_eq!(node.passes("/shut", user, 3), 0, "{user}");
    }
}

#[test]
fn a_journal_that_is_damaged_is_said_and_its_server_awaited() {
    let mut redis = Redis::start();
    let node = Node::ready(&redis.url(), RULES);
    spend_all(&node);
    let stopped = node.stop();
    let journal = stopped.desk.path("tollgate-data/journal.txt");
    let mut bytes = std::fs::read(&journal).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&journal, bytes).unwrap();
    redis.restart();
    let node = stopped.start();
    node.until_degraded(&["may be in doubt until 20"]);
    wait_for("the log to say why", LONG, || {
        let log = node.server.log();
        log.contains("cannot be read: should Redis have lost it").then_some(())
    });
    assert_eq!(node.passes("/shut", "alice", 3), 0);
}

#[test]
fn doubt_is_told_by_every_instrument_until_it_is_ended() {
    let mut redis = Redis::start();
    let [node, other] = [(), ()].map(|()| Node::ready(&redis.url(), RULES));
    assert_eq!(node.passes("/shut", "alice", 1), 1);
    assert_eq!(other.passes("/shut", "bob", 1), 1);
    // Redis hears within a second how long what they spend may count.
    until_registered(&redis, 2);
    // With a node and with Redis, all is gone that was known of some.
    other.server.kill();
    redis.restart();
    node.until_degraded(&["may be in doubt until 20", "`tollgate redis trust` ends it"]);
    let stranger = node.check("/shut", "carol").with(429);
    assert_eq!(stranger.header("tollgate-fallback"), Some("closed"));
    let wait: u64 = stranger.header("retry-after").unwrap().parse().unwrap();
    // To the end of the day in which the node was last seen, or of the next.
    assert!(wait <= 2 * 86_400, "{wait}");

    let admin = node.server.admin;
    let status = format!("status --admin {admin}");
    node.desk.line(&status).with(2).says("may be in doubt until 20");
    let doctor = format!(
        "doctor --http {} --grpc {} --resp {} --admin {admin} --rules rules.yaml --redis {}",
        node.server.http,
        node.server.grpc,
        node.server.resp,
        redis.url()
    );
    node.desk.line(&doctor).says("may be in doubt until 20");
    wait_for("the log to say that it began", LONG, || {
        node.server.log().contains("are in doubt").then_some(())
    });

    let trust = format!("redis trust --admin {admin}");
    node.desk.line(&trust).fine().says("1 of 1 shards were in doubt");
    node.until_fine();
    assert_eq!(node.passes("/shut", "carol", 1), 1);
    node.desk.line(&trust).fine().says("nothing was in doubt");
    wait_for("the log to say that it is over", LONG, || {
        node.server.log().contains("in doubt any more").then_some(())
    });
    wait_for("the audit to tell of it", LONG, || {
        let audit = node.desk.line(&format!("audit --admin {admin}"));
        audit.out.contains("redis.trust").then_some(())
    });
}
