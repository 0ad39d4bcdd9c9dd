//! What nodes tell each other at once: counters of which more is left than a node may remember. To miss it is harmless,
//! since no denial is remembered for longer than a second.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use redis::{PushInfo, PushKind, Value};
use tokio::{
    sync::{Notify, broadcast},
    time::sleep,
};

use super::{
    client::Client,
    link::{Link, Lost, PATIENCE},
    tasks::{Backoff, spawn},
};
use crate::{key::Key, slot::Slot};

/// Keys that may await whoever listens. Who is slower misses some.
const PUSHES_MAX: usize = 1_024;
/// No key of ours is longer: others are not believed.
const KEY_BYTES_MAX: usize = 4_096;
/// What a process says that has come.
const GREETING: &str = "hello ";
/// No name of a process is longer.
const NAME_BYTES_MAX: usize = 64;
/// Between attempts to listen.
const PAUSE: Duration = Duration::from_millis(100);
const PAUSE_MAX: Duration = Duration::from_secs(10);
/// How often it is made sure that the server is there.
const IDLE: Duration = Duration::from_secs(5);

/// What was pushed.
#[derive(Debug)]
pub(super) struct Pushes {
    heard: broadcast::Sender<Arc<[u8]>>,
    /// Told when nobody holds the client any more.
    pub(super) over: Notify,
}

impl Default for Pushes {
    fn default() -> Self {
        Self { heard: broadcast::Sender::new(PUSHES_MAX), over: Notify::new() }
    }
}

impl Pushes {
    /// Hands a key over. Nobody may be listening.
    fn tell(&self, key: &[u8]) {
        if key.len() <= KEY_BYTES_MAX {
            drop(self.heard.send(key.into()));
        }
    }

    fn hear(&self, info: &PushInfo) {
        if let (PushKind::Message, [_, Value::BulkString(key)]) = (&info.kind, info.data.as_slice())
        {
            self.tell(key);
        }
    }
}

/// The process that says that it has come, if that is what was said.
fn newcomer(info: &PushInfo) -> Option<&str> {
    let [_, Value::BulkString(said)] = info.data.as_slice() else {
        return None;
    };
    let process = str::from_utf8(said).ok()?.strip_prefix(GREETING)?;
    let is_name =
        process.len() <= NAME_BYTES_MAX && process.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (info.kind == PushKind::Message && is_name).then_some(process)
}

impl Client {
    /// Names of counters that were refunded or made fresh, here or by another node. Who lags behind does not know which
    /// were left out.
    pub(crate) fn pushed(&self) -> broadcast::Receiver<Arc<[u8]>> {
        self.pushes.heard.subscribe()
    }

    /// Tells all nodes that more is left of these counters than they may remember.
    pub(crate) async fn push(&self, slot: Slot, keys: &[Key]) {
        let mut commands = redis::pipe();
        for key in keys {
            self.pushes.tell(key.as_bytes());
            commands.cmd("PUBLISH").arg(channel(self)).arg(key.as_bytes());
        }
        let link = self.shard(slot).and_then(|shard| shard.link());
        if let Some(link) = link.filter(|_| !keys.is_empty()) {
            // Whoever may not say it is heard of by others within a second.
            drop(link.ask_all(&commands, PATIENCE).await);
        }
    }
}

/// Where it is said. A Cluster passes it on to all of its servers.
fn channel(client: &Client) -> String {
    channel_of(&client.means.prefix)
}

pub(super) fn channel_of(prefix: &str) -> String {
    format!("{prefix}:push")
}

/// What a process says when it has come, so that all know of it before it spends anything. To nodes that do not know the
/// word it is the name of a counter that they do not have.
pub(super) fn greeting(process: &str) -> String {
    format!("{GREETING}{process}")
}

/// Starts to listen, on a connection of its own. Ends when nobody holds the client any more.
pub(super) fn listen(client: &Arc<Client>) {
    let pushes = Arc::clone(&client.pushes);
    let client = Arc::downgrade(client);
    spawn(async move {
        let mut backoff = Backoff::new(PAUSE, PAUSE_MAX);
        while client.strong_count() > 0 {
            if let Some(link) = subscribe(&client, &pushes).await {
                backoff.reset();
                attend(&link, &pushes).await;
            }
            tokio::select! {
                () = pushes.over.notified() => return,
                () = sleep(backoff.pause()) => {}
            }
        }
    });
}

/// A connection on which it is heard what is said, if there can be one now.
async fn subscribe(client: &Weak<Client>, pushes: &Arc<Pushes>) -> Option<Link> {
    let held = client.upgrade()?;
    let (access, channel) = (Arc::clone(&held.means.access), channel(&held));
    let shard = held.shard(Slot::of(b"tollgate"))?;
    let heard = Arc::clone(pushes);
    let lineages = Arc::clone(&held.means.lineages);
    let clock = Arc::clone(&held.means.clock);
    drop(held);
    let hear = move |info: PushInfo| match newcomer(&info) {
        Some(process) => lineages.roll.meet(process, clock.boot()),
        None => heard.hear(&info),
    };
    let link = Link::listen(&access, &shard.address, hear).await;
    let link = link.ok()?;
    let reply = link.ask(redis::cmd("SUBSCRIBE").arg(channel), PATIENCE).await;
    match reply {
        Ok(Value::ServerError(error)) => {
            let said = error.details().unwrap_or_default();
            tracing::debug!(said, "refunds and resets by other nodes are not heard of at once");
            None
        }
        Ok(_) => Some(link),
        Err(_) => None,
    }
}

/// Listens for as long as the connection lasts.
async fn attend(link: &Link, pushes: &Pushes) {
    while link.is_open() {
        tokio::select! {
            () = link.ended() => return,
            () = pushes.over.notified() => {
                // For whoever waits next.
                pushes.over.notify_one();
                return;
            }
            () = sleep(IDLE) => {
                if link.ask(&redis::cmd("PING"), PATIENCE).await == Err(Lost::Late) {
                    return;
                }
            }
        }
    }
}
