//! What an operator sees of counters that Redis may have lost, and how to end it.
// Proves: C7, O6

use tollgate_testkit::{redis::Redis, wait_for};

use super::rig::{Node, RULES};
use crate::common::server::LONG;

#[test]
fn doubt_is_told_by_every_instrument_until_it_is_ended() {
    let mut redis = Redis::start();
    let [node, other] = [(), ()].map(|()| Node::ready(&redis.url(), RULES));
    assert_eq!(node.passes("/shut", "alice", 1), 1);
    assert_eq!(other.passes("/shut", "bob", 1), 1);
    // Redis hears within a second how long what they spend may count.
    wait_for("a register that knows of both", LONG, || {
        let register = redis.command(&["HVALS", "rl:{tollgate}:processes"]);
        let lives = register.lines().filter(|line| line.split(' ').count() == 6);
        let mut lives = lives.map(|line| line.rsplit(' ').next().unwrap().to_owned());
        lives.all(|life| life != "0").then_some(())
    });
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
    node.desk
        .line(&status)
        .with(2)
        .says("may be in doubt until 20");
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
    node.desk
        .line(&trust)
        .fine()
        .says("1 of 1 shards were in doubt");
    node.until_fine();
    assert_eq!(node.passes("/shut", "carol", 1), 1);
    node.desk.line(&trust).fine().says("nothing was in doubt");
    wait_for("the log to say that it is over", LONG, || {
        node.server
            .log()
            .contains("in doubt any more")
            .then_some(())
    });
    wait_for("the audit to tell of it", LONG, || {
        let audit = node.desk.line(&format!("audit --admin {admin}"));
        audit.out.contains("redis.trust").then_some(())
    });
}
