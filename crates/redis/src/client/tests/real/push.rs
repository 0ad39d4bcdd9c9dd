//! What nodes tell each other at once.

use std::{sync::Arc, time::Duration};

use tokio::{sync::broadcast::Receiver, time::timeout};
use tollgate_core::{CounterKey, Period, RuleId};
use tollgate_testkit::redis::{Cluster, Redis, Setup};

use super::common::{SOON, ready};
use crate::{
    client::Client,
    key::{Key, Name, Names},
};

fn key(user: &[u8]) -> Key {
    let names = Names { prefix: "rl".to_owned(), naming: |values, part| part("user", values) };
    Name::new(CounterKey::new(RuleId::new(7), user), &names).counter(Period::MINUTE)
}

/// Says it again and again until it is heard: whoever has just come may not listen yet.
async fn is_heard(from: &Client, to: &mut Receiver<Arc<[u8]>>, key: &Key) {
    let saying = async {
        loop {
            from.push(key.slot(), std::slice::from_ref(key)).await;
            let pause = Duration::from_millis(50);
            if let Ok(heard) = timeout(pause, to.recv()).await {
                return heard.unwrap();
            }
        }
    };
    let heard = timeout(SOON, saying).await.unwrap();
    assert_eq!(heard.as_ref(), key.as_bytes());
}

// Proves: C3
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_node_says_another_hears_also_after_a_lost_connection() {
    let server = Redis::start();
    let (one, other) = (ready([server.url()]), ready([server.url()]));
    let mut pushed = other.pushed();
    is_heard(&one, &mut pushed, &key(b"ann")).await;
    let killed = server.command(&["CLIENT", "KILL", "TYPE", "pubsub"]);
    assert_ne!(killed, "0");
    while pushed.try_recv().is_ok() {}
    is_heard(&one, &mut pushed, &key(b"bob")).await;
}

// Proves: C3
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_is_heard_whichever_server_of_a_cluster_it_was_said_to() {
    let cluster = Cluster::shared();
    let (one, other) = (ready(cluster.urls()), ready(cluster.urls()));
    let mut pushed = other.pushed();
    for user in [b"a", b"b", b"c", b"d"] {
        is_heard(&one, &mut pushed, &key(user)).await;
        while pushed.try_recv().is_ok() {}
    }
}

// Proves: C3
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_may_not_say_it_hears_itself_and_is_well() {
    let user = "app on >s3cret ~* +evalsha +zadd +zremrangebyscore +pexpire +zcard +script|load +time +info";
    let server = Setup::default().user(user).start();
    let client = ready([format!("redis://app:s3cret@{}", server.address())]);
    let mut pushed = client.pushed();
    is_heard(&client, &mut pushed, &key(b"ann")).await;
}
