//! In which order the slots of a Cluster are asked.

use std::{sync::Arc, time::Duration};

use tollgate_core::{Charge, Cost, CounterKey, RuleId, Store as _, SystemClock};
use tollgate_memory::MemoryStore;
use tollgate_redis::{Leases, Options, RedisStore};
use tollgate_testkit::{limit, redis::Cluster};

use crate::common::until_up;

/// Whoever is denied by his own limit takes nothing from a limit that all share, not even for a moment: the narrow
/// counter is asked first, whatever the order of the charges. The other way round it has to be given back.
// Proves: D4, C2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_denied_by_his_own_limit_costs_the_others_nothing() {
    let mut options = Options::new(Cluster::shared().urls());
    options.leases = Leases::Off;
    options.prefix = "order".to_owned();
    options.deadline = Duration::from_secs(60);
    options.naming = |values, part| match values.split_first() {
        Some((b'u', user)) => part("user", user),
        _ => part("tier", values),
    };
    let local = MemoryStore::with_capacity(1_000, SystemClock);
    let store = RedisStore::start(options, local, Arc::new(SystemClock)).unwrap();
    until_up(&store).await;
    assert_eq!(store.health().shards.len(), 3);
    let (own, shared) = (limit("1/120month burst 2"), limit("100/120month burst 100"));
    let user = CounterKey::new(RuleId::new(1), b"ualice");
    let tier = CounterKey::new(RuleId::new(2), b"free");
    let both = [Charge::new(tier, &shared, Cost::ONE), Charge::new(user, &own, Cost::ONE)];
    let mut admitted = 0;
    for _ in 0..10 {
        admitted += u64::from(store.charge(&both).await.unwrap().is_allowed());
    }
    assert_eq!(admitted, 2);
    store.settle(Duration::from_secs(60)).await;
    assert_eq!(store.stats().given_back, 0, "the shared limit was asked after the own one");

    // And when the shared one is exhausted, the own one is charged for nothing.
    let rest = [Charge::new(tier, &shared, Cost::new(98))];
    assert!(store.charge(&rest).await.unwrap().is_allowed());
    let other = CounterKey::new(RuleId::new(1), b"ubob");
    let both = [Charge::new(tier, &shared, Cost::ONE), Charge::new(other, &own, Cost::ONE)];
    for _ in 0..10 {
        assert!(!store.charge(&both).await.unwrap().is_allowed());
    }
    assert_eq!(store.settle(Duration::from_secs(60)).await, 0);
    assert_eq!(store.stats().given_back, 10);
    let look = [Charge::new(other, &own, Cost::ZERO)];
    let left = store.charge(&look).await.unwrap().binding().remaining();
    assert_eq!(left, 2, "bob was charged for nothing");
}
