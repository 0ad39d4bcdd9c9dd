//! Redis answers, but not what it was asked.

use std::sync::Mutex;

use tollgate_core::OnFailure;
use tollgate_testkit::redis::{Connection, Redis, Setup};

use super::{
    fleet::{Fleet, LONG, PAUSE, POLICIES, Rule, decide},
    load::{Counts, Load},
    story::{UNITS, conclude, rules, tell},
};

// Proves: C6, C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redis_that_forgets_every_script_is_told_them_again() {
    let redis = Redis::start();
    let fleet = Fleet::start([redis.url()]);
    fleet.is_up();
    let load = Load::start(&fleet, rules());
    for _ in 0..5 {
        load.until_redis_decides();
        redis.flush_scripts();
    }
    conclude(&fleet, load).await;
    for cause in ["forbidden", "other"] {
        assert_eq!(fleet.failures(cause), 0, "{cause}");
    }
    // Whoever is given up by a machine that stalls is unreachable for a while.
    let is_calm = fleet.failures("silent") == 0;
    assert!(!is_calm || fleet.failures("unreachable") == 0);
}

// Proves: C6, C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redis_without_memory_is_answered_for_by_the_policies_until_it_has_some() {
    let redis = Redis::start();
    let fleet = Fleet::start([redis.url()]);
    let limit = |bytes| redis.command(&["CONFIG", "SET", "maxmemory", bytes]);
    let fill = || drop(limit("1"));
    tell(&fleet, redis.address(), fill, || drop(limit("0"))).await;
    assert!(fleet.failures("full") > 0);
}

// Proves: C6, C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redis_that_is_busy_with_the_script_of_somebody_else_is_answered_for_until_that_ends() {
    let redis = Setup::default().line("lua-time-limit 20").start();
    let fleet = Fleet::start([redis.url()]);
    let mut other = redis.connect().unwrap();
    let loops = || other.send(&["EVAL", "while true do end", "0"]).unwrap();
    let kill = || drop(redis.command(&["SCRIPT", "KILL"]));
    tell(&fleet, redis.address(), loops, kill).await;
    assert!(fleet.failures("busy") + fleet.failures("silent") > 0);
}

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redis_that_is_still_loading_is_answered_for_by_the_policies_until_it_has() {
    let redis = Setup::default().slow_to_load().start();
    let fleet = Fleet::start([redis.url()]);
    let (address, redis) = (redis.address(), Mutex::new(redis));
    let reload = || {
        redis.lock().unwrap().restart_loading();
        fleet.wait("a shard that is loading", |node| {
            let shards = node.health().shards;
            let troubles = shards.iter().filter_map(|shard| shard.trouble.as_ref());
            { troubles }.any(|trouble| trouble.to_lowercase().contains("loading"))
        });
    };
    let end = || redis.lock().unwrap().end_loading();
    tell(&fleet, address, reload, end).await;
}

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_password_that_was_changed_is_answered_for_by_the_policies_until_it_is_right_again() {
    let redis = Setup::default().password("old").start();
    let fleet = Fleet::start([redis.url()]);
    let tell_it = |password: &str, words: &[&str]| {
        let mut link = Connection::open(redis.address()).unwrap();
        for words in [&["AUTH", password], words] {
            assert_eq!(link.ask(words).unwrap().to_string(), "OK");
        }
        drop(link.ask(&["CLIENT", "KILL", "TYPE", "normal"]));
    };
    let change = || tell_it("old", &["CONFIG", "SET", "requirepass", "new"]);
    let change_back = || tell_it("new", &["CONFIG", "SET", "requirepass", "old"]);
    tell(&fleet, redis.address(), change, change_back).await;
}

// Proves: C6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_permission_that_was_withdrawn_is_answered_for_by_the_policies_until_it_is_granted() {
    let redis = Setup::default().user("app on >secret ~* +@all").start();
    let fleet = Fleet::start([format!("redis://app:secret@{}", redis.address())]);
    let set = |right| drop(redis.command(&["ACL", "SETUSER", "app", right]));
    let withdraw = || set("-evalsha");
    tell(&fleet, redis.address(), withdraw, || set("+evalsha")).await;
    assert!(fleet.failures("forbidden") > 0);
}

// Proves: C6, C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_that_holds_something_else_concerns_nobody_but_its_user() {
    let redis = Redis::start();
    let fleet = Fleet::start([redis.url()]);
    fleet.is_up();
    let strange =
        POLICIES.map(|policy| Rule::new(format!("strange-{}", policy.word()), UNITS, policy));
    let load = Load::slow(&fleet, strange.to_vec());
    load.until("a charge of each", |counts| counts.admitted > 0);
    let keys = redis.command(&["KEYS", "rl:{user:strange-*"]);
    assert_eq!(keys.lines().count(), POLICIES.len(), "{keys}");
    for key in keys.lines() {
        redis.command(&["SET", key, "something else"]);
    }
    load.until_policies_decide();
    let by_redis = || -> Vec<u64> { load.counts().iter().map(Counts::by_redis).collect() };
    let before = by_redis();
    load.until_policies_decide();
    assert_eq!(by_redis(), before, "Redis decides nothing in a key that is not ours");
    assert!(fleet.failures("foreign") > 0);

    fleet.is_up();
    let other = Rule::new("other", UNITS, OnFailure::Closed);
    let serving = async {
        let charges = [other.charge()];
        while !{ decide(&fleet.nodes[0], &charges).await.unwrap() }.is_allowed() {
            tokio::time::sleep(PAUSE).await;
        }
    };
    let served = tokio::time::timeout(LONG, serving).await;
    assert!(served.is_ok(), "whoever has another key is served");
    for key in keys.lines() {
        assert_eq!(redis.command(&["GET", key]), "something else");
        redis.command(&["DEL", key]);
    }
    load.until_redis_decides();
    for (rule, counts) in load.end().await {
        // What Redis knew of the key was overwritten, once.
        if rule.policy == OnFailure::Closed {
            assert_eq!(counts.admitted_by_policy, 0, "{counts:?}");
            assert!(counts.admitted <= 2 * UNITS, "{counts:?}");
        }
    }
}
