//! How long a change of rules takes from its commit until every node enforces it.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail};
use tollgate::rules::{Live, RuleSet};
use tollgate_catalog::{Author, Base, Catalog, LivePublisher, NodeId, WatchSettings, Watcher};
use tollgate_testkit::postgres::Postgres;

use super::sets::rule_set;

/// Times from commit to enforcement on the last of several nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Propagation {
    pub(crate) watchers: usize,
    pub(crate) edits: usize,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    pub(crate) max_ms: f64,
}

const WATCHERS: usize = 5;
const EDITS: usize = 200;
/// A typical set: what is measured includes fetching and compiling it.
const RULES: usize = 200;
const DEADLINE: Duration = Duration::from_secs(60);

pub(super) fn run() -> anyhow::Result<Propagation> {
    let database = Postgres::shared().database("propagation");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(measure(database.url()))
}

async fn measure(url: &str) -> anyhow::Result<Propagation> {
    let url = url.parse()?;
    let catalog = Catalog::open(&url).await?;
    let mut set = Arc::new(rule_set(RULES));
    catalog.apply(&set, Base::Any, Author::new("bench")).await?;
    let mut nodes = Vec::new();
    let (stop, stopped) = tokio::sync::watch::channel(());
    for node in 0..WATCHERS {
        let live = Arc::new(Live::new());
        let settings = WatchSettings::new(NodeId::new(&format!("node-{node}")));
        let publisher = Arc::new(LivePublisher::new(Arc::clone(&live)));
        let (mut watcher, _) = Watcher::new(Catalog::open(&url).await?, publisher, settings);
        watcher
            .start(DEADLINE)
            .await
            .context("starting a watcher")?;
        let mut stopped = stopped.clone();
        let task = watcher.run(async move { drop(stopped.changed().await) });
        nodes.push((live, tokio::task::spawn(task)));
    }
    let mut times = Vec::with_capacity(EDITS);
    for edit in 0..EDITS {
        set = Arc::new(edited(&set, edit));
        let written = catalog.apply(&set, Base::Any, Author::new("bench")).await?;
        let committed = Instant::now();
        let wanted = written.revision.get();
        let is_late = |live: &Arc<Live>| {
            let found = live.snapshot().map_or(0, |snapshot| snapshot.revision());
            found < wanted
        };
        while nodes.iter().any(|(live, _)| is_late(live)) {
            if committed.elapsed() > DEADLINE {
                bail!("revision {wanted} did not reach every node within {DEADLINE:?}");
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
    Ok(Propagation {
        watchers: WATCHERS,
        edits: EDITS,
        p50_ms: times[times.len() / 2],
        p99_ms: times[times.len() * 99 / 100],
        max_ms: times[times.len() - 1],
    })
}

/// The same set with another limit on one rule.
fn edited(set: &RuleSet, edit: usize) -> RuleSet {
    let mut set = set.clone();
    let name = format!("rule-{}", edit * 20 % RULES);
    if let Some(rule) = set.rules.get_mut(name.as_str()) {
        Arc::make_mut(rule).priority = i32::try_from(edit % 1_000).unwrap_or(0) + 1;
    }
    set
}
