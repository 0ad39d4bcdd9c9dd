//! Who else is alive: each node says so once a second, and hears how many have.

use std::{sync::Arc, time::Duration};

use redis::Value;
use tokio::time::{MissedTickBehavior, interval};
use tollgate_core::{Micros, Timestamp};

use super::{call::Call, client::Client, link::PATIENCE, tasks::spawn};
use crate::{Layout, script::PRESENCE, slot::Slot};

/// How often a node says that it is alive.
const EVERY: Duration = Duration::from_secs(1);
/// A node that has been silent for so long counts as gone.
const GONE_AFTER: Duration = Duration::from_secs(5);
/// While Redis is not there yet it is looked more often, so that a fleet knows itself soon.
const EVERY_AT_START: Duration = Duration::from_millis(50);

/// So many times in a row fewer are heard of before it is believed: a Redis that has lost its memory, or was
/// away for longer than a silent node is counted, hears of all nodes again within as many ticks. Until then a
/// share of the smaller fleet would be too much.
const FEWER_TIMES: u32 = 3;

/// How many nodes are believed to be alive.
#[derive(Debug, Default)]
struct Believed {
    nodes: u32,
    fewer_times: u32,
    /// Of those heard of meanwhile.
    most: u32,
}

impl Believed {
    fn hear(&mut self, nodes: u32) -> u32 {
        let is_fewer = nodes < self.nodes;
        self.fewer_times = if is_fewer { self.fewer_times + 1 } else { 0 };
        self.most = if is_fewer { self.most.max(nodes) } else { 0 };
        if !is_fewer {
            self.nodes = nodes;
        } else if self.fewer_times == FEWER_TIMES {
            *self = Self { nodes: self.most, ..Self::default() };
        }
        self.nodes
    }
}

/// Starts to say that this node is alive. Ends when nobody holds the client any more.
pub(super) fn announce(client: &Arc<Client>) {
    let call = call(key(client), client.process());
    let client = Arc::downgrade(client);
    spawn(async move {
        let mut starting = interval(EVERY_AT_START);
        while client.upgrade().is_some_and(|client| !is_ready(&client)) {
            starting.tick().await;
        }
        let mut believed = Believed::default();
        let mut ticks = interval(EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let Some(client) = client.upgrade() else {
                return;
            };
            // If Redis is away, the last number stays.
            if let Ok(Value::Int(nodes)) = client.call_early(&call).await
                && let Ok(nodes) = u32::try_from(nodes)
            {
                let (means, lately) = (&client.means, GONE_AFTER.into());
                let seen = means.lineages.roll.count(nodes, lately, means.clock.boot());
                // A server that has just lost its memory has not heard of all again.
                client.heard_of(believed.hear(nodes.max(seen)));
            }
        }
    });
}

/// How many nodes have said so lately, by one who only listens; none if that cannot be heard.
pub(super) async fn listen(client: &Client, now: Timestamp) -> Option<u32> {
    let key = key(client);
    let link = client.shard(Slot::of(&key))?.link()?;
    let since = now.as_micros().saturating_sub(Micros::from(GONE_AFTER).get());
    let mut command = redis::cmd("ZCOUNT");
    command.arg(key).arg(since).arg("+inf");
    match link.ask(&command, PATIENCE).await {
        Ok(Value::Int(nodes)) => u32::try_from(nodes).ok(),
        _ => None,
    }
}

fn is_ready(client: &Client) -> bool {
    let shard = client.shard(Slot::of(&key(client)));
    client.layout() != Layout::Unknown && shard.is_some_and(|shard| shard.link().is_some())
}

/// Where the nodes of this fleet say that they are alive.
fn key(client: &Client) -> Vec<u8> {
    format!("{}:{{tollgate}}:nodes", client.means.prefix).into_bytes()
}

fn call(key: Vec<u8>, process: &str) -> Call {
    Call {
        script: &PRESENCE,
        slot: Slot::of(&key),
        keys: vec![key],
        args: vec![process.as_bytes().to_vec(), GONE_AFTER.as_micros().to_string().into_bytes()],
    }
}

#[cfg(test)]
mod tests {
    use super::Believed;

    // Proves: C6
    #[test]
    fn more_are_believed_at_once_and_fewer_after_a_while() {
        let mut believed = Believed::default();
        let heard = [1, 3, 1, 2, 3, 1, 2, 2, 2];
        let all: Vec<u32> = heard.iter().map(|nodes| believed.hear(*nodes)).collect();
        assert_eq!(all, [1, 3, 3, 3, 3, 3, 3, 2, 2]);
    }
}
