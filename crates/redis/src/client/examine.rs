//! A look at Redis by somebody who is no node of the fleet and counts nothing.

use std::{sync::Arc, time::Duration};

use redis::Value;
use tokio::{
    task::JoinSet,
    time::{sleep, timeout},
};
use tollgate_core::{Clock, Micros, SystemClock, Timestamp};

use super::{
    access::Access,
    call::Cause,
    client::Client,
    link::{Link, PATIENCE, Refused},
    presence,
    register::Register,
    shard::Shard,
    survey::{field, moment, text},
};
use crate::{Door, Examination, Layout, Offset, Options, OptionsError, Primary, Standing, Trouble};

/// How often it is looked whether everybody has answered.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Connects to every address, finds out what is behind them, and whether it would serve a store with these
/// options: what a store does at its start, but nobody is announced as a node and no counter is touched. Of
/// each primary it is asked for `patience` at most.
///
/// # Errors
///
/// What is wrong with the options. That nobody answers is what the examination says.
pub async fn examine(options: &Options, patience: Duration) -> Result<Examination, OptionsError> {
    let doors = knock(Arc::new(Access::new(options)?)).await;
    let mut found = Examination {
        layout: Layout::Unknown,
        doors,
        primaries: Vec::new(),
        findings: Vec::new(),
        live_nodes: None,
    };
    // Whoever nobody lets in need not wait.
    if found.doors.iter().all(|door| door.trouble.is_some()) {
        return Ok(found);
    }
    let client = Client::unannounced(options, Arc::new(SystemClock))?;
    // Whoever has not answered by then is told of.
    drop(timeout(patience, settled(&client)).await);
    for (shard, trouble) in client.primaries() {
        found.primaries.push(ask(&shard, trouble).await);
    }
    found.primaries.sort_by(|one, other| one.name.cmp(&other.name));
    let health = client.health();
    found.layout = health.layout;
    found.findings = health.findings;
    found.live_nodes = presence::listen(&client, there(&found)).await;
    Ok(found)
}

/// Tries all addresses at once, so that many that do not answer take no longer than one.
async fn knock(access: Arc<Access>) -> Vec<Door> {
    let mut knocking = JoinSet::new();
    for (place, seed) in access.seeds.iter().cloned().enumerate() {
        let access = Arc::clone(&access);
        knocking.spawn(async move {
            let opened = Link::open(&access, &seed).await;
            let door = Door { name: seed.to_string(), trouble: opened.err().map(trouble) };
            (place, door)
        });
    }
    let mut doors = knocking.join_all().await;
    doors.sort_by_key(|(place, _)| *place);
    doors.into_iter().map(|(_, door)| door).collect()
}

/// Waits until all primaries are known and up.
async fn settled(client: &Client) {
    let is_up = |client: &Client| {
        let health = client.health();
        let mut shards = health.shards.iter();
        health.layout != Layout::Unknown && shards.all(|shard| shard.standing == Standing::Up)
    };
    while !is_up(client) {
        sleep(LOOK_EVERY).await;
    }
}

async fn ask(shard: &Shard, refused: Option<Refused>) -> Primary {
    let standing = shard.health().standing;
    let mut primary = Primary {
        name: shard.name().to_owned(),
        version: None,
        standing,
        trouble: refused.map(trouble),
        offset: None,
        doubt: None,
    };
    let Some(link) = shard.link() else {
        return primary;
    };
    let mut commands = redis::pipe();
    commands.cmd("TIME");
    commands.cmd("INFO").arg("server");
    let before = SystemClock.now().wall;
    let replies = link.ask_all(&commands, PATIENCE).await;
    let after = SystemClock.now().wall;
    if let Ok([time, info]) = replies.as_deref() {
        primary.offset = moment(time).map(|there| Offset::between(there, before, after));
        primary.version = version(info);
        let mut looking = redis::cmd("HGETALL");
        looking.arg(shard.register_key());
        let fields = link.ask(&looking, PATIENCE).await.ok();
        let now = moment(time).unwrap_or(after);
        let register = fields.and_then(|fields| Register::look(&fields, now));
        primary.doubt = register.and_then(|register| register.doubt());
    }
    primary
}

/// The time by the clocks over there, as far as they were heard.
fn there(found: &Examination) -> Timestamp {
    let now = SystemClock.now().wall;
    match found.primaries.iter().find_map(|primary| primary.offset) {
        Some(Offset::Ahead(by)) => now.saturating_add(by),
        Some(Offset::Behind(by)) => {
            Timestamp::from_micros(now.as_micros().saturating_sub(Micros::get(by)))
        }
        None => now,
    }
}

fn version(info: &Value) -> Option<String> {
    let info = text(info)?;
    let valkey = field(info, "valkey_version").map(|version| format!("Valkey {version}"));
    valkey.or_else(|| field(info, "redis_version").map(|version| format!("Redis {version}")))
}

fn trouble(refused: Refused) -> Trouble {
    let remedy = match refused.cause {
        Cause::Unreachable => {
            "start Redis, or correct the address; see that no firewall is in between, and that TLS is spoken \
             on both sides (rediss://) or on neither"
        }
        Cause::Silent => {
            "see whether it hangs or is overloaded, and that the address is that of a Redis"
        }
        Cause::NotReady => "wait until it has loaded its data, or its Cluster serves all slots",
        Cause::Busy => "end the script that does not end: SCRIPT KILL",
        Cause::Full => "give it more memory (maxmemory) or disk, so that it takes writes again",
        Cause::Forbidden => {
            "correct user and password in the address, or allow the user what it lacks: ACL SETUSER"
        }
        Cause::Moving => "give the address of the primary, not of a replica",
        Cause::Foreign | Cause::Crowded | Cause::Other => "see the log of Redis",
    };
    Trouble { text: refused.text, remedy }
}
