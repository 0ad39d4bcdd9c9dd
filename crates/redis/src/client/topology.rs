//! Finding out who serves what: at the start, when somebody was sent elsewhere, and now and then.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use redis::Value;
use tokio::{
    sync::Notify,
    time::{sleep, timeout},
};

use super::{
    access::Access,
    address::Address,
    call::Cause,
    client::Client,
    link::{Link, Lost, Refused},
    map::{Map, Part, parts},
    reply::cause,
    survey::{field, text},
    tasks::{Backoff, spawn},
};
use crate::{Finding, Layout, slot::Slot};

/// How often it is looked without a reason.
const EVERY: Duration = Duration::from_secs(10);
/// How often it is looked at most.
const PAUSE: Duration = Duration::from_millis(100);
/// While nobody has answered yet.
const PAUSE_AT_START: Duration = Duration::from_millis(50);
const PAUSE_AT_START_MAX: Duration = Duration::from_secs(1);
/// How long one server may take to answer.
const ANSWER_MAX: Duration = Duration::from_millis(250);

/// What one server says.
#[derive(Debug)]
enum View {
    /// It is of a Cluster, which is well.
    Cluster(Vec<Part>),
    /// It is of a Cluster, and cut off or not yet complete: better than nothing.
    Ailing(Vec<Part>),
    /// It is of none.
    Single,
    /// It may not be asked.
    Forbidden(String),
    /// Nothing of use.
    Nothing(Refused),
}

/// Starts to follow the topology. Ends when nobody holds the client any more.
pub(super) fn follow(client: &Arc<Client>) {
    let refresh = Arc::clone(&client.means.refresh);
    let client = Arc::downgrade(client);
    spawn(run(client, refresh));
}

async fn run(client: Weak<Client>, refresh: Arc<Notify>) {
    let mut backoff = Backoff::new(PAUSE_AT_START, PAUSE_AT_START_MAX);
    loop {
        let Some(held) = client.upgrade() else { return };
        look(&held).await;
        let layout = held.layout();
        drop(held);
        if layout == Layout::Unknown {
            sleep(backoff.pause()).await;
        } else {
            sleep(PAUSE).await;
            timeout(EVERY, refresh.notified()).await.unwrap_or_default();
        }
    }
}

/// Asks one after the other until one knows, those first to whom there is a connection.
async fn look(client: &Client) {
    let access = &client.means.access;
    let mut ailing = None;
    let connected = client.connected();
    for (address, link) in &connected {
        let view = ask(link, address).await;
        if settle(client, address, view, &mut ailing) {
            return;
        }
    }
    for address in &access.seeds {
        if connected.iter().any(|(known, _)| known == address) {
            continue;
        }
        let view = ask_anew(access, address).await;
        if settle(client, address, view, &mut ailing) {
            return;
        }
    }
    if let Some((teller, parts)) = ailing {
        adopt(client, &parts);
        client.report(vec![Finding {
            shard: teller.to_string(),
            text: "cluster_state is not ok: some slots are not served; see CLUSTER NODES and redis-cli \
                   --cluster fix"
                .to_owned(),
        }]);
    }
}

/// Takes a view over if it can be relied on; says whether.
fn settle(
    client: &Client,
    teller: &Address,
    view: View,
    ailing: &mut Option<(Address, Vec<Part>)>,
) -> bool {
    let is_first = client.means.access.seeds.first() == Some(teller);
    match view {
        View::Cluster(parts) => {
            adopt(client, &parts);
            client.report(Vec::new());
            true
        }
        View::Ailing(parts) => {
            ailing.get_or_insert((teller.clone(), parts));
            false
        }
        // Only the first address: if nodes of a fleet took whichever answered, each would count elsewhere.
        View::Single if is_first => {
            single(client, teller, None);
            true
        }
        View::Forbidden(said) if is_first => {
            let text = format!(
                "it cannot be asked whether it is of a Cluster, so it is used as a single server: {said}; \
                 allow it: ACL SETUSER <user> +cluster|slots +cluster|info +info"
            );
            single(client, teller, Some(text));
            true
        }
        View::Nothing(why) => {
            client.seed_failed(teller, why);
            false
        }
        View::Single | View::Forbidden(_) => false,
    }
}

fn single(client: &Client, address: &Address, remark: Option<String>) {
    let seeds = client.means.access.seeds.len();
    let several = (seeds > 1).then(|| {
        format!(
            "{seeds} addresses are given, but this is no Cluster: only the first is used; give one"
        )
    });
    let texts = remark.into_iter().chain(several);
    let shard = address.to_string();
    client.report(texts.map(|text| Finding { shard: shard.clone(), text }).collect());
    if let Some(shard) = client.known_or_new(address) {
        client.publish(Map::single(shard));
    }
}

fn adopt(client: &Client, parts: &[Part]) {
    let map = Map::cluster(parts, |owner| client.known_or_new(owner));
    for shard in &map.shards {
        let served = parts.iter().filter(|part| part.owner == shard.address);
        // A slot that moves alone shall not take the register along.
        let largest = served.max_by_key(|part| part.slots.end() - part.slots.start());
        if let Some(key) = largest.and_then(|part| probe_key(part, &client.means.prefix)) {
            shard.probe_by(key);
        }
    }
    client.publish(map);
}

/// A key in one of these slots. One of 16,384 parts is met by one of so many tries, unless luck is very bad.
fn probe_key(part: &Part, prefix: &str) -> Option<Vec<u8>> {
    const TRIES: u32 = 1 << 18;
    (0..TRIES)
        .map(|at| format!("{prefix}:{{{at}}}:probe").into_bytes())
        .find(|key| part.slots.contains(&Slot::of(key).get()))
}

async fn ask_anew(access: &Access, address: &Address) -> View {
    match Link::open(access, address).await {
        Ok(link) => ask(&link, address).await,
        Err(why) => View::Nothing(why),
    }
}

async fn ask(link: &Link, address: &Address) -> View {
    let mut commands = redis::pipe();
    commands.cmd("CLUSTER").arg("SLOTS");
    commands.cmd("CLUSTER").arg("INFO");
    commands.cmd("INFO").arg("cluster");
    let nothing = |cause, text: &str| {
        let text = format!("{address}: {text}");
        View::Nothing(Refused { cause, text })
    };
    match link.ask_all(&commands, ANSWER_MAX).await.as_deref() {
        Ok([slots, state, info]) => view(slots, state, info, address),
        Ok(_) | Err(Lost::Ended) => nothing(Cause::Unreachable, "the connection was lost"),
        Err(Lost::Late) => nothing(Cause::Silent, "it takes connections and does not answer"),
    }
}

/// What the answers to `CLUSTER SLOTS`, `CLUSTER INFO` and `INFO cluster` say together.
fn view(slots: &Value, state: &Value, info: &Value, teller: &Address) -> View {
    let nothing = |cause, text: &str| {
        let text = format!("{teller}: {text}");
        View::Nothing(Refused { cause, text })
    };
    if let Value::ServerError(error) = slots {
        let details = error.details().unwrap_or_default();
        let is_cluster = text(info).and_then(|info| field(info, "cluster_enabled"));
        return match is_cluster {
            Some("0") => View::Single,
            _ if details.contains("cluster support disabled") => View::Single,
            None if error.code() == "NOPERM" => View::Forbidden(details.to_owned()),
            _ => {
                let cause = cause(error.code()).unwrap_or(Cause::Other);
                nothing(cause, &format!("{} {details}", error.code()))
            }
        };
    }
    let Some(parts) = parts(slots, teller).filter(|parts| !parts.is_empty()) else {
        return nothing(Cause::NotReady, "its Cluster serves no slots yet");
    };
    // Whoever may not be asked for its state is believed.
    let state = text(state).and_then(|state| field(state, "cluster_state"));
    match state {
        Some("ok") | None => View::Cluster(parts),
        Some(_) => View::Ailing(parts),
    }
}
