//! How long a revocation takes from its commit until every node enforces it.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail};
use tollgate::{
    Timestamp,
    rules::{KeyStanding, Live},
};
use tollgate_catalog::{
    Author, Base, Catalog, EntryAt, EntryBody, KeyBody, LivePublisher, NodeId, WatchSettings,
    Watcher,
};
use tollgate_testkit::postgres::Postgres;

use super::keys::digest;
use crate::rules::rule_set;

/// Times from commit to enforcement on the last of several nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Revocation {
    pub(crate) nodes: usize,
    pub(crate) count: usize,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    pub(crate) max_ms: f64,
}

const NODES: usize = 5;
const REVOCATIONS: usize = 200;
const DEADLINE: Duration = Duration::from_secs(60);

pub(super) fn run() -> anyhow::Result<Revocation> {
    let database = Postgres::shared().database("revocation");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(measure(database.url()))
}

async fn measure(url: &str) -> anyhow::Result<Revocation> {
    let url = url.parse()?;
    let author = Author::new("bench");
    let catalog = Catalog::open(&url).await?;
    let set = Arc::new(rule_set(10));
    catalog.apply(&set, Base::Any, author.clone()).await?;
    let keys = (0..REVOCATIONS).map(|number| EntryBody::ApiKey(key(number)));
    let keys = catalog.put_entries(keys.collect(), &author).await?;
    let mut nodes = Vec::new();
    let (stop, stopped) = tokio::sync::watch::channel(());
    for node in 0..NODES {
        let live = Arc::new(Live::new());
        let settings = WatchSettings::new(NodeId::new(&format!("node-{node}")));
        let publisher = Arc::new(LivePublisher::new(Arc::clone(&live)));
        let (mut watcher, _) = Watcher::new(Catalog::open(&url).await?, publisher, settings);
        let started = watcher.start(DEADLINE).await;
        started.context("starting a watcher")?;
        let mut stopped = stopped.clone();
        let task = watcher.run(async move { drop(stopped.changed().await) });
        nodes.push((live, tokio::task::spawn(task)));
    }
    let mut times = Vec::with_capacity(REVOCATIONS);
    for (number, written) in keys.iter().enumerate() {
        let revoked = KeyBody {
            revoked_at: Some(Timestamp::EPOCH),
            ..key(number)
        };
        let at = EntryAt::Id {
            id: Arc::clone(&written.entry.id),
            seen: None,
        };
        catalog
            .put_entry(at, EntryBody::ApiKey(revoked), &author)
            .await?;
        let committed = Instant::now();
        let digest = digest(number);
        let is_late = |live: &Arc<Live>| {
            let card = live.directory().key(&digest);
            let standing = card.map(|card| card.standing(&digest, Timestamp::MAX));
            standing != Some(KeyStanding::Revoked)
        };
        while nodes.iter().any(|(live, _)| is_late(live)) {
            if committed.elapsed() > DEADLINE {
                bail!("a revocation did not reach every node within {DEADLINE:?}");
            }
            tokio::time::sleep(Duration::from_micros(200)).await;
        }
        times.push(committed.elapsed().as_secs_f64() * 1e3);
    }
    drop(stop);
    for (_, task) in nodes {
        task.await?;
    }
    times.sort_unstable_by(f64::total_cmp);
    Ok(Revocation {
        nodes: NODES,
        count: REVOCATIONS,
        p50_ms: times[times.len() / 2],
        p99_ms: times[times.len() * 99 / 100],
        max_ms: times[times.len() - 1],
    })
}

fn key(number: usize) -> KeyBody {
    KeyBody {
        name: format!("key {number}").into(),
        hint: "tgk_abcd".into(),
        digest: digest(number),
        former: None,
        user: Some(format!("user-{number}").into()),
        org: None,
        tier: None,
        limits: None,
        expires_at: None,
        revoked_at: None,
    }
}
