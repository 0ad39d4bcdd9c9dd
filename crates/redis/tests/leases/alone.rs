//! One node.

use tollgate_testkit::{limit, redis::Redis};

use crate::fleet::{ask, fleet};

// Proves: C3
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_busy_key_is_served_from_memory_and_never_beyond_its_limit() {
    let redis = Redis::start();
    let node = fleet(&[redis.url()], 1).pop().unwrap();
    for (user, text) in [
        ("f", "20000/month fixed_window"),
        ("s", "20000/month"),
        ("b", "20000/month burst 20000"),
    ] {
        let limit = limit(text);
        let (mut admitted, mut asked) = (0_u64, 0_u64);
        let before = node.stats();
        while asked < 60_000 {
            asked += 1;
            admitted += u64::from(ask(&node, user, &limit, 1).await.is_allowed());
            if asked % 50 == 0 {
                tokio::task::yield_now().await;
            }
        }
        let after = node.stats();
        println!(
            "{text}: {admitted} calls {} leases {:?}",
            after.calls - before.calls,
            after.leases
        );
        assert!(admitted <= 20_000, "{admitted}");
    }
}
