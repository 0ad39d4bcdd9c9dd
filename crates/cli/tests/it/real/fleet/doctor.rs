//! What the doctor finds.
// Proves: C6, O6

use tollgate_testkit::{
    postgres::Postgres,
    redis::{Cluster, Redis, Setup},
    wait_for,
};

use super::rig::{Node, RULES};
use crate::{
    common::{Desk, login, server::LONG},
    doctor::{examine, one},
};

#[test]
fn a_sound_set_up_has_no_problem_and_nothing_is_left_behind() {
    let redis = Redis::start();
    let desk = Desk::new();
    desk.write("rules.yaml", RULES);
    let flags = format!("--rules rules.yaml --redis {}", redis.url());
    let ran = examine(&desk, &flags).fine();
    ran.says("ok       settings  they are sound")
        .says("ok       http      127.0.0.1:0: any port that is free")
        .says("ok       data      ./tollgate-data can be made, ")
        .says("ok       database  sqlite:./tollgate-data/tollgate.db is not there yet and can be made")
        .says("rules     rules.yaml: 7 rules, with 5 warnings")
        .says("ok       redis     a single server")
        .says(&format!("{} is up, Redis ", redis.address()))
        .says("no node of the fleet is alive");
    let json = examine(&desk, &format!("{flags} --json")).fine().json();
    assert_eq!(json["problems"], 0, "{json:#}");
    assert!(!desk.path("tollgate-data").exists());
    assert_eq!(redis.command(&["EXISTS", "rl:{tollgate}:nodes"]), "0");
}

#[test]
fn a_server_that_runs_is_recognised_and_its_fleet_counted() {
    let redis = Redis::start();
    let [node, _other] = [(), ()].map(|()| Node::ready(&redis.url(), RULES));
    wait_for("two nodes that say that they are alive", LONG, || {
        let nodes = redis.command(&["ZCARD", "rl:{tollgate}:nodes"]);
        (nodes == "2").then_some(())
    });
    let server = &node.server;
    let flags = format!(
        "doctor --http {} --grpc {} --resp {} --admin {} --rules rules.yaml --redis {}",
        server.http,
        server.grpc,
        server.resp,
        server.admin,
        redis.url()
    );
    // A node that was silent for 5 s, as while the machine stalls, is not alive until it says so again.
    let ran = wait_for("a doctor that hears of two nodes", LONG, || {
        let ran = node.desk.line(&flags);
        let are_two = ran.out.contains("2 nodes of the fleet");
        (ran.code == Some(0) && are_two).then_some(ran)
    });
    ran.says(&format!("a Tollgate answers at {}", server.http))
        .says(&format!("a Tollgate answers at {}", server.resp))
        .says(&format!("a Tollgate answers at {}", server.admin))
        .says(&format!("{} is taken, as it seems by the Tollgate", server.grpc))
        .says("answers, schema 3")
        .says("2 nodes of the fleet are alive");
    // On other ports the folder is in the way.
    examine(&node.desk, "").with(1).says("problem  data      another server uses the data folder");
    // To have looked does not make it a node.
    assert_eq!(redis.command(&["ZCARD", "rl:{tollgate}:nodes"]), "2");
}

#[test]
fn a_redis_that_is_absent_is_a_problem_with_its_remedy() {
    let mut redis = Redis::start();
    redis.kill();
    let desk = Desk::new();
    let ran = examine(&desk, &format!("--redis {} --json", redis.url())).with(1);
    let at = redis.address().to_string();
    let words = [at.as_str(), "refused", "start Redis", "--redis"];
    one(&ran.json(), "redis", "problem", &words);
}

/// Whoever takes connections and says nothing is not waited for.
#[test]
fn a_redis_that_hangs_is_a_problem() {
    let redis = Redis::start();
    redis.pause();
    let desk = Desk::new();
    let ran = examine(&desk, &format!("--redis {} --json", redis.url())).with(1);
    redis.resume();
    let words = ["does not answer within 1s", "see whether it hangs"];
    one(&ran.json(), "redis", "problem", &words);
}

#[test]
fn a_redis_that_evicts_is_a_warning() {
    let redis = Setup::default().line("maxmemory-policy allkeys-lru").start();
    let desk = Desk::new();
    let ran = examine(&desk, &format!("--redis {} --json", redis.url())).fine();
    let words = ["allkeys-lru", "CONFIG SET maxmemory-policy noeviction"];
    one(&ran.json(), "redis", "warning", &words);
}

#[test]
fn a_password_that_is_wrong_is_told_and_not_shown() {
    let redis = Setup::default().password("hunter2-hunter2").start();
    let desk = Desk::new();
    let url = format!("redis://:hunter3-hunter3@{}", redis.address());
    let ran = examine(&desk, &format!("--redis {url} --json")).with(1);
    let words = ["correct user and password"];
    one(&ran.json(), "redis", "problem", &words);
    assert!(!ran.out.contains("hunter"), "{}", ran.out);
    let ran = examine(&desk, &format!("--redis {}", redis.url())).fine();
    assert!(!ran.out.contains("hunter"), "{}", ran.out);
}

#[test]
fn a_user_that_may_not_write_is_a_problem() {
    let user = "reader on >secret ~* +@read +@connection +info +time +cluster";
    let redis = Setup::default().user(user).start();
    let desk = Desk::new();
    let url = format!("redis://reader:secret@{}", redis.address());
    let ran = examine(&desk, &format!("--redis {url} --json")).with(1);
    one(&ran.json(), "redis", "problem", &["cannot be used", "ACL SETUSER"]);
}

#[test]
fn every_shard_of_a_cluster_is_told_of() {
    let cluster = Cluster::start();
    let desk = Desk::new();
    let ran = examine(&desk, &format!("--redis {}", cluster.urls().join(","))).fine();
    ran.says("a Cluster of 3 shards");
}

#[test]
fn rules_that_cannot_be_used_are_problems() {
    let desk = Desk::new();
    desk.write("rules.yaml", &login("5/sek"));
    let ran = examine(&desk, "--rules rules.yaml").with(1);
    ran.says("problem  rules     rules.yaml has errors")
        .says("rules.yaml:6:")
        .says("-> mend it; `tollgate rules validate rules.yaml` checks it again");
    examine(&desk, "--rules none.yaml").with(1).says("cannot read the rules file none.yaml");
    // Those of a database, too, if they cannot be counted in Redis.
    desk.write("huge.yaml", &login("10000000000000000/day"));
    desk.line("rules apply huge.yaml").fine();
    examine(&desk, "").fine().says("revision 1: 1 rule");
    let redis = Redis::start();
    examine(&desk, &format!("--redis {}", redis.url()))
        .with(1)
        .says("revision 1 is kept out of force")
        .says("cannot be counted exactly in Redis");
}

#[test]
fn databases_are_asked_and_left_as_they_are() {
    let desk = Desk::new();
    let url = "postgres://ann:hunter2@127.0.0.1:1/rules";
    let ran = examine(&desk, &format!("--database {url} --json")).with(1);
    let words = ["postgres://ann:***@127.0.0.1:1/rules", "start it, or correct"];
    one(&ran.json(), "database", "problem", &words);
    assert!(!ran.out.contains("hunter2"), "{}", ran.out);

    let database = Postgres::shared().database("doctor");
    let flags = format!("--database {}", database.url());
    let tables = "select count(*) from information_schema.tables where table_schema = 'public'";
    examine(&desk, &flags)
        .fine()
        .says("answers: its tables are made at the start")
        .says("its clock agrees with this machine's");
    assert_eq!(database.execute(tables), "0");
    desk.write("rules.yaml", &login("5/min"));
    desk.line(&format!("rules apply rules.yaml {flags}")).fine();
    examine(&desk, &flags).fine().says("answers, schema 3").says("revision 1: 1 rule");

    desk.write("broken.db", &"no database at all ".repeat(99));
    examine(&desk, "--database sqlite:broken.db")
        .with(1)
        .says("problem  database  sqlite:broken.db: ");
}
