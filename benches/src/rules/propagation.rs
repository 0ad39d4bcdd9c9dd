//! Nodes that follow one catalog, and how long it takes until all of them enforce a change.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context as _, ensure};
use tokio::{sync::watch, task::JoinHandle};
use tollgate::rules::{Live, RuleSet};
use tollgate_catalog::{
    Author, Base, Catalog, DatabaseUrl, LivePublisher, NodeId, WatchSettings, Watcher,
};
use tollgate_testkit::postgres::Postgres;

use super::sets::rule_set;
use crate::report::Table;

const EDITS: usize = 200;
/// A typical set: what is measured includes fetching and compiling it.
const RULES: usize = 200;

pub(super) fn run() -> anyhow::Result<Spread> {
    on_postgres("propagation", measure)
}

async fn measure(url: &DatabaseUrl) -> anyhow::Result<Spread> {
    let catalog = Catalog::open(url).await?;
    let mut set = Arc::new(rule_set(RULES));
    catalog.apply(&set, Base::Any, Author::new("bench")).await?;
    let nodes = Nodes::start(url).await?;
    let mut times = Vec::with_capacity(EDITS);
    for edit in 0..EDITS {
        set = Arc::new(edited(&set, edit));
        let written = catalog.apply(&set, Base::Any, Author::new("bench")).await?;
        let wanted = written.revision.get();
        let knows = |live: &Live| {
            let found = live.snapshot().map_or(0, |snapshot| snapshot.revision());
            found >= wanted
        };
        times.push(nodes.until(knows).await?);
    }
    nodes.end(times).await
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

/// What is measured on a database of its own.
pub(crate) fn on_postgres<T>(
    name: &str,
    measure: impl AsyncFnOnce(&DatabaseUrl) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let database = Postgres::shared().database(name);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let url = database.url().parse()?;
    runtime.block_on(measure(&url))
}

/// Several nodes of one catalog.
pub(crate) struct Nodes {
    nodes: Vec<(Arc<Live>, JoinHandle<()>)>,
    stop: watch::Sender<()>,
}

/// Times until the last of them knew, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    pub(crate) nodes: usize,
    pub(crate) count: usize,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    pub(crate) max_ms: f64,
}

impl Spread {
    pub(crate) fn table(&self, title: &str) -> Table {
        Table::of(
            format!("{title}, PostgreSQL: milliseconds"),
            [self],
            &[
                ("nodes", |it: &Self| it.nodes.into()),
                ("of", |it| it.count.into()),
                ("p50", |it| it.p50_ms.into()),
                ("p99", |it| it.p99_ms.into()),
                ("longest", |it| it.max_ms.into()),
            ],
        )
    }
}

const NODES: usize = 5;
const DEADLINE: Duration = Duration::from_secs(60);

impl Nodes {
    /// Five that have what there is.
    pub(crate) async fn start(url: &DatabaseUrl) -> anyhow::Result<Self> {
        let mut nodes = Vec::new();
        let (stop, stopped) = watch::channel(());
        for node in 0..NODES {
            let live = Arc::new(Live::new());
            let settings = WatchSettings::new(NodeId::new(&format!("node-{node}")));
            let publisher = Arc::new(LivePublisher::new(Arc::clone(&live)));
            let (mut watcher, _) = Watcher::new(Catalog::open(url).await?, publisher, settings);
            let started = watcher.start(DEADLINE).await;
            started.context("starting a watcher")?;
            let mut stopped = stopped.clone();
            let task = watcher.run(async move { drop(stopped.changed().await) });
            nodes.push((live, tokio::task::spawn(task)));
        }
        Ok(Self { nodes, stop })
    }

    /// How long from now until all know.
    pub(crate) async fn until(&self, knows: impl Fn(&Live) -> bool) -> anyhow::Result<f64> {
        let committed = Instant::now();
        while self.nodes.iter().any(|(live, _)| !knows(live)) {
            let is_in_time = committed.elapsed() <= DEADLINE;
            ensure!(is_in_time, "it did not reach every node within {DEADLINE:?}");
            tokio::time::sleep(Duration::from_micros(200)).await;
        }
        Ok(committed.elapsed().as_secs_f64() * 1e3)
    }

    /// Ends them, and says how long it took.
    pub(crate) async fn end(self, mut times: Vec<f64>) -> anyhow::Result<Spread> {
        drop(self.stop);
        let nodes = self.nodes.len();
        for (_, task) in self.nodes {
            task.await?;
        }
        times.sort_unstable_by(f64::total_cmp);
        Ok(Spread {
            nodes,
            count: times.len(),
            p50_ms: times[times.len() / 2],
            p99_ms: times[times.len() * 99 / 100],
            max_ms: times[times.len() - 1],
        })
    }
}
