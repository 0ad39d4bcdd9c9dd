//! What the tests of this room have in common.

use std::{
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Duration,
};

use redis::Value;
use tokio::{task::JoinSet, time::timeout};
use tollgate_core::{Clock, ManualClock, Micros, Now, SystemClock, Timestamp};
use tollgate_testkit::wait_for;

use crate::{
    Options, Standing,
    client::{Call, Client, Failure, PATIENCE},
    script::PRESENCE,
    slot::Slot,
};

/// For what happens within seconds, on a machine with other work.
pub(super) const SOON: Duration = Duration::from_secs(60);

/// Elapsed time runs so many times as fast, so that servers that were away are let in soon.
const HASTE: u64 = 10;

struct HastyClock;

impl Clock for HastyClock {
    fn now(&self) -> Now {
        let Now { wall, steady } = SystemClock.now();
        let steady = Timestamp::from_micros(steady.as_micros() * HASTE);
        Now { wall, steady }
    }
}

/// A client that waits for replies longer than any machine stalls.
pub(super) fn start(urls: impl IntoIterator<Item = impl Into<String>>) -> Arc<Client> {
    start_with(&Options::new(urls), HastyClock)
}

pub(super) fn start_with(options: &Options, clock: impl Clock + 'static) -> Arc<Client> {
    Client::start(options, Arc::new(clock), SOON).unwrap()
}

/// A client that has found all shards and lets all in.
pub(super) fn ready(urls: impl IntoIterator<Item = impl Into<String>>) -> Arc<Client> {
    let client = start(urls);
    all_up(&client);
    client
}

/// The same that gives a reply up as early as in production.
pub(super) fn ready_and_impatient(url: impl Into<String>) -> Arc<Client> {
    let client = Client::start(&Options::new([url]), Arc::new(HastyClock), PATIENCE).unwrap();
    all_up(&client);
    client
}

/// The same with the clock by which it counts how long a server is kept out, and comes back step by step:
/// neither ends before the test moves the clock.
pub(super) fn ready_by_hand(
    urls: impl IntoIterator<Item = impl Into<String>>,
) -> (Arc<Client>, ManualClock) {
    let clock = ManualClock::at(SystemClock.now().wall);
    let client = start_with(&Options::new(urls), clock.clone());
    all_up(&client);
    (client, clock)
}

/// Says for a store that there is none: it has nothing to tell to whoever took over.
pub(super) fn assert_nothing(client: &Client) {
    let losses = client.to_assert();
    losses.into_iter().for_each(|loss| client.asserted(loss));
}

pub(super) fn all_up(client: &Client) {
    wait_for("all shards are up", SOON, || are_all_up(client));
}

/// The same on a clock that is moved meanwhile.
pub(super) fn all_up_later(client: &Client, clock: &ManualClock) {
    wait_for("all shards are up", SOON, || {
        clock.advance(Micros::from_millis(50));
        are_all_up(client)
    });
}

fn are_all_up(client: &Client) -> Option<()> {
    assert_nothing(client);
    let shards = client.health().shards;
    let is_up = shards.iter().all(|shard| shard.standing == Standing::Up);
    (is_up && !shards.is_empty()).then_some(())
}

pub(super) fn down(client: &Client, name: &str) {
    wait_for("a shard is down", SOON, || {
        (standing(client, name) == Some(Standing::Down)).then_some(())
    });
}

/// Waits until a shard that comes back is like this.
pub(super) fn until(client: &Client, name: &str, wanted: Standing) {
    wait_for(&format!("a shard is {wanted:?}"), SOON, || {
        assert_nothing(client);
        (standing(client, name) == Some(wanted)).then_some(())
    });
}

pub(super) fn standing(client: &Client, name: &str) -> Option<Standing> {
    let shards = client.health().shards;
    let found = shards.into_iter().find(|shard| shard.name == name);
    found.map(|shard| shard.standing)
}

/// A script that notes `who` in each key once, and says how many the last has.
pub(super) fn note(keys: &[&str], who: &str) -> Call {
    Call {
        script: &PRESENCE,
        slot: Slot::of(keys[0].as_bytes()),
        keys: keys.iter().map(|key| key.as_bytes().to_vec()).collect(),
        args: vec![who.into(), "3600000000".into()],
    }
}

/// Notes somebody new, and says how many there are.
pub(super) async fn add(client: &Client, key: &str, who: usize) -> Result<i64, Failure> {
    match client.call(&note(&[key], &who.to_string())).await? {
        Value::Int(count) => Ok(count),
        other => panic!("no number: {other:?}"),
    }
}

/// The same when the server is well again, as long as nothing is in doubt.
pub(super) async fn add_in_the_end(client: &Client, key: &str, who: usize) -> i64 {
    let adding = async {
        loop {
            assert_nothing(client);
            match add(client, key, who).await {
                Ok(count) => return count,
                Err(Failure::NotRun(_)) => tokio::time::sleep(Duration::from_millis(50)).await,
                Err(failure) => panic!("{failure:?}"),
            }
        }
    };
    timeout(SOON, adding).await.expect("the server is well again")
}

pub(super) fn failures(client: &Client, cause: &str) -> u64 {
    let failures = client.failures();
    let found = failures.iter().find(|(name, _)| *name == cause);
    found.map(|(_, count)| *count).unwrap()
}

/// So many calls that were handed over, in order, and are waiting for their replies.
pub(super) fn under_way(
    client: &Arc<Client>,
    count: usize,
) -> JoinSet<(usize, Result<i64, Failure>)> {
    let mut waiting = JoinSet::new();
    for who in 1..=count {
        let client = Arc::clone(client);
        let mut call = Box::pin(async move { (who, add(&client, "key", who).await) });
        // Whoever is polled once is handed over.
        match call.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(done) => drop(waiting.spawn(async move { done })),
            Poll::Pending => drop(waiting.spawn(call)),
        }
    }
    waiting
}
