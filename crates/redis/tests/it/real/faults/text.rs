//! What users write goes to Redis as data and never as anything else.

use std::collections::BTreeSet;

use tollgate_core::{CounterKey, Decision, OnFailure, RuleId};
use tollgate_testkit::redis::{Cluster, Connection};

use super::fleet::{Fleet, Rule, decide};

const UNITS: u64 = 10;
const THE_END: &str = "that was all";

/// Names that mean something to somebody on the way.
fn names() -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> = [
        "a}{b",
        "{}",
        "}{",
        "{",
        "}",
        "{user:b}",
        "%7B",
        "a\nb",
        "\r\n",
        "\0",
        "*1\r\n$8\r\nFLUSHALL\r\n",
        "') redis.call('FLUSHALL') --",
        "\"]]",
        "ümläut",
        "1month",
        ":::",
        "a b",
        "KEYS[1]",
        "-1",
    ]
    .map(|name| name.as_bytes().to_vec())
    .into();
    names.push((0..=255).collect());
    names.push(vec![0xff; 300]);
    names.push(vec![b'{'; 1 << 20]);
    names.push((0..1 << 20).map(|at: u32| at.to_le_bytes()[1]).collect());
    names
}

// Proves: C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_users_are_called_scripts_keys_and_slots_are_ours() {
    let cluster = Cluster::start();
    let fleet = Fleet::patient(cluster.urls());
    fleet.is_up();
    let plain = Rule::new("plain", UNITS, OnFailure::Closed);
    decide(&fleet.nodes[0], &[plain.charge()]).await.unwrap();
    fleet.left(&plain).await;
    let scripts = || -> Vec<String> {
        let nodes = cluster.shards().map(|shard| cluster.node(shard));
        nodes.map(|node| node.info("number_of_cached_scripts")).collect()
    };
    let scripts_before = scripts();
    let keys_before = keys(&cluster).len();
    let monitors: Vec<Connection> =
        cluster.shards().map(|shard| monitor(&cluster, shard)).collect();

    let names = names();
    for name in &names {
        let rule = Rule::new(name.as_slice(), UNITS, OnFailure::Closed);
        // Another rule on the same user is in the same slot, so that one call decides both.
        let mut other = rule.charge();
        other.key = CounterKey::new(RuleId::new(8), name);
        for left in [UNITS - 1, UNITS - 2] {
            let verdict = decide(&fleet.nodes[0], &[rule.charge(), other]).await.unwrap();
            let decisions = verdict.decisions().iter();
            let remaining: Vec<u64> = decisions.map(Decision::remaining).collect();
            assert_eq!(remaining, [left, left], "{}", name[..name.len().min(50)].escape_ascii());
            assert_eq!(verdict.fallback(), None);
        }
    }

    assert_eq!(scripts(), scripts_before, "no text of a script depends on a name");
    let keys = keys(&cluster);
    assert_eq!(keys.len(), keys_before + 2 * names.len(), "each has counters of its own");
    for key in &keys {
        let braces = ['{', '}'].map(|brace| key.matches(brace).count());
        assert_eq!(braces, [1, 1], "{key}");
        assert!(key.starts_with("rl:{"), "{key}");
        assert!(key.len() < 1_000 && key.is_ascii(), "{key}");
    }
    let mut calls = 0;
    for (shard, monitor) in monitors.into_iter().enumerate() {
        cluster.node(shard).command(&["ECHO", THE_END]);
        calls += only_declared_keys(monitor);
    }
    assert!(calls >= 2 * names.len(), "all have been watched: {calls}");
}

fn monitor(cluster: &Cluster, shard: usize) -> Connection {
    let mut monitor = cluster.node(shard).connect().unwrap();
    assert_eq!(monitor.ask(&["MONITOR"]).unwrap().to_string(), "OK");
    monitor
}

fn keys(cluster: &Cluster) -> BTreeSet<String> {
    let primaries = cluster.shards().map(|shard| cluster.node(shard).command(&["KEYS", "*"]));
    let keys: Vec<String> = primaries.collect();
    keys.iter().flat_map(|keys| keys.lines()).map(str::to_owned).collect()
}

/// Reads what a server did, up to the end: scripts are called by digest, and use no key that is not in the call.
/// Says how many calls there were.
fn only_declared_keys(mut monitor: Connection) -> usize {
    let mut declared = BTreeSet::new();
    let mut calls = 0;
    loop {
        let line = monitor.reply().unwrap().to_string();
        let Some((from, words)) = words(&line) else {
            panic!("no command: {line}");
        };
        match words[0].to_lowercase().as_str() {
            "echo" if words[1] == THE_END => return calls,
            "eval" | "eval_ro" => panic!("a script that came as text: {line}"),
            "evalsha" => {
                calls += 1;
                let count: usize = words[2].parse().unwrap();
                declared = words[3..3 + count].iter().cloned().collect();
            }
            "time" => {}
            _ if from == "lua" => assert!(declared.contains(&words[1]), "{line}"),
            _ => {}
        }
    }
}

/// Who sent a command, and its words: `<time> [<database> <from>] "<word>" …`.
fn words(line: &str) -> Option<(&str, Vec<String>)> {
    let (_, rest) = line.split_once(" [")?;
    let (from, rest) = rest.split_once("] ")?;
    let words = rest.trim_matches('"').split("\" \"").map(str::to_owned);
    Some((from.split_once(' ')?.1, words.collect()))
}
