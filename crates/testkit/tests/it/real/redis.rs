//! Servers that are really there, and really gone.

use std::{path::Path, time::Duration};

use tollgate_testkit::{
    redis::{Cluster, Connection, Program, Redis, Reply, Setup},
    wait_for,
};

const LONG: Duration = Duration::from_secs(120);

#[test]
fn a_server_answers_and_is_gone_when_dropped() {
    for (program, name) in [(Program::Redis, "redis_version"), (Program::Valkey, "valkey_version")]
    {
        let server = Redis::of(program);
        server.command(&["SET", "key", "7"]);
        assert_eq!(server.command(&["INCR", "key"]), "8");
        assert!(!server.info(name).is_empty());
        let error = server.ask(&["INCR"]);
        assert!(matches!(error, Reply::Error(text) if text.starts_with("ERR wrong number")));
        let process = format!("/proc/{}", server.process_id());
        let folder = server.folder().to_owned();
        assert!(Path::new(&process).exists() && folder.exists());
        drop(server);
        assert!(!Path::new(&process).exists() && !folder.exists());
    }
}

#[test]
fn a_killed_server_comes_back_on_its_port_empty_or_with_what_was_saved() {
    let mut server = Redis::start();
    let address = server.address();
    server.command(&["SET", "key", "7"]);
    server.kill();
    assert!(server.connect().is_err());
    server.start_again();
    assert_eq!(server.command(&["GET", "key"]), "");
    server.command(&["SET", "key", "7"]);
    server.restart_keeping();
    assert_eq!(server.command(&["GET", "key"]), "7");
    server.restart();
    assert_eq!(server.command(&["DBSIZE"]), "0");
    assert_eq!(server.address(), address);
}

#[test]
fn a_paused_server_takes_a_question_and_answers_it_later() {
    let server = Redis::start();
    let mut link = server.connect().unwrap();
    server.pause();
    assert!(!server.is_awake());
    link.send(&["PING"]).unwrap();
    // Connections are still taken: by the system, for somebody who does not look.
    drop(server.connect().unwrap());
    server.resume();
    assert_eq!(link.reply().unwrap(), Reply::Text(b"PONG".to_vec()));
}

#[test]
fn a_paused_server_is_dropped_too() {
    let server = Redis::start();
    let process = format!("/proc/{}", server.process_id());
    server.pause();
    drop(server);
    assert!(!Path::new(&process).exists());
}

#[test]
fn passwords_and_users_are_asked_for() {
    let server = Setup::default().password("secret").user("reader on >word ~* +get").start();
    assert_eq!(server.command(&["PING"]), "PONG");
    assert!(server.url().starts_with("redis://:secret@127.0.0.1:"));
    let mut link = Connection::open(server.address()).unwrap();
    let refused = link.ask(&["PING"]).unwrap().to_string();
    assert!(refused.contains("NOAUTH"), "{refused}");
    link.ask(&["AUTH", "reader", "word"]).unwrap();
    assert_eq!(link.ask(&["GET", "key"]).unwrap(), Reply::Nil);
    let refused = link.ask(&["SET", "key", "1"]).unwrap().to_string();
    assert!(refused.contains("NOPERM"), "{refused}");
}

#[test]
fn a_sealed_server_speaks_tls_only() {
    for program in [Program::Redis, Program::Valkey] {
        let server = Setup::of(program).tls().start();
        assert!(server.url().starts_with("rediss://127.0.0.1:"));
        assert!(server.ca().is_file());
        assert_eq!(server.command(&["PING"]), "PONG");
        let clear = Connection::open(server.address());
        assert!(clear.and_then(|mut link| link.ask(&["PING"])).is_err());
    }
}

#[test]
fn scripts_are_forgotten_on_command() {
    let server = Redis::start();
    let name = server.command(&["SCRIPT", "LOAD", "return 7"]);
    assert_eq!(server.info("number_of_cached_scripts"), "1");
    server.flush_scripts();
    assert_eq!(server.command(&["SCRIPT", "EXISTS", &name]), "0");
}

#[test]
fn a_line_of_settings_rules() {
    let server = Setup::default().line("maxmemory 3mb").start();
    assert_eq!(server.info("maxmemory"), "3145728");
}

#[test]
fn a_server_can_be_caught_while_it_loads() {
    let mut server = Setup::default().slow_to_load().start();
    server.command(&["SET", "key", "7"]);
    server.restart_loading();
    let answer = server.ask(&["GET", "key"]).to_string();
    assert!(answer.contains("LOADING"), "{answer}");
    server.end_loading();
    assert_eq!(server.command(&["GET", "key"]), "7");
}

#[test]
fn every_shard_of_a_cluster_fails_over_and_keeps_what_it_had() {
    for program in [Program::Redis, Program::Valkey] {
        let cluster = Cluster::of(program);
        assert_eq!(cluster.primaries(), [0, 1, 2]);
        let slot = cluster.slot_of(b"key");
        let before = cluster.node_of(slot);
        cluster.node(before).command(&["SET", "key", "7"]);
        for shard in cluster.shards() {
            assert_eq!(cluster.failover(shard), shard + 3);
        }
        assert_eq!(cluster.primaries(), [3, 4, 5]);
        let after = cluster.node_of(slot);
        assert_eq!(after, before + 3);
        assert_eq!(cluster.node(after).command(&["GET", "key"]), "7");
        let moved = cluster.node(before).ask(&["GET", "key"]).to_string();
        assert!(moved.contains(&format!("MOVED {slot} ")), "{moved}");
    }
}

#[test]
fn a_slot_moves_step_by_step() {
    let cluster = Cluster::start();
    let key = b"{tag}\xff one";
    let slot = cluster.slot_of(key);
    let (from, to) = (cluster.node_of(slot), (cluster.node_of(slot) + 1) % 3);
    let write: [&[u8]; 3] = [b"SET", key, b"7"];
    let read: [&[u8]; 2] = [b"GET", key];
    cluster.node(from).command(&write);

    let migration = cluster.migration(slot, to);
    assert_eq!(cluster.node(from).command(&read), "7");
    assert_eq!(migration.move_keys(), 1);
    let ask = cluster.node(from).ask(&read).to_string();
    assert!(ask.contains(&format!("ASK {slot} ")), "{ask}");
    migration.end();

    assert_eq!(cluster.node_of(slot), to);
    assert_eq!(cluster.node(to).command(&read), "7");
    cluster.move_slot(slot, from);
    assert_eq!(cluster.node(from).command(&read), "7");
}

#[test]
fn a_dead_primary_is_followed_by_its_replica() {
    let mut cluster = Cluster::start();
    cluster.kill(1);
    wait_for("the election", LONG, || (cluster.primary(1) == 4).then_some(()));
    assert_eq!(cluster.primary(0), 0, "the others are as before");
    cluster.start_again(1);
    cluster.settle();
    assert_eq!(cluster.replica(1), 1);
}

#[test]
fn a_shard_without_any_node_leaves_the_others_alone() {
    let mut cluster = Cluster::start();
    cluster.kill(3);
    cluster.kill(0);
    let key = |node: usize| {
        let mut keys = (0..).map(|n| format!("key{n}"));
        keys.find(|key| cluster.node_of(cluster.slot_of(key.as_bytes())) == node)
    };
    for shard in [1, 2] {
        let node = cluster.primary(shard);
        let key = key(node).unwrap();
        assert_eq!(cluster.node(node).command(&["INCR", &key]), "1");
    }
}
