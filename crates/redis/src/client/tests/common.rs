//! What the tests of this room have in common.

use std::{sync::Arc, time::Duration};

use redis::Value;
use tollgate_core::SystemClock;
use tollgate_testkit::wait_for;

use crate::{
    Options, Standing,
    client::{Call, Client, Failure},
    script::PRESENCE,
    slot::Slot,
};

/// For what happens within milliseconds, on a machine with other work.
pub(super) const SOON: Duration = Duration::from_secs(20);

pub(super) fn start(urls: impl IntoIterator<Item = impl Into<String>>) -> Arc<Client> {
    Client::start(&Options::new(urls), Arc::new(SystemClock)).unwrap()
}

/// A client that has found all shards and lets all in.
pub(super) fn ready(urls: impl IntoIterator<Item = impl Into<String>>) -> Arc<Client> {
    let client = start(urls);
    all_up(&client);
    client
}

pub(super) fn all_up(client: &Client) {
    wait_for("all shards are up", SOON, || {
        let shards = client.health().shards;
        let is_up = shards.iter().all(|shard| shard.standing == Standing::Up);
        (is_up && !shards.is_empty()).then_some(())
    });
}

pub(super) fn down(client: &Client, name: &str) {
    wait_for("a shard is down", SOON, || {
        (standing(client, name) == Some(Standing::Down)).then_some(())
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

pub(super) fn failures(client: &Client, cause: &str) -> u64 {
    let failures = client.failures();
    let found = failures.iter().find(|(name, _)| *name == cause);
    found.map(|(_, count)| *count).unwrap()
}
