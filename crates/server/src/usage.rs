//! Telling the catalog what API keys and users have used.

use std::{
    hash::{BuildHasher as _, RandomState},
    sync::Arc,
    time::Duration,
};

use tokio::time::timeout;
use tollgate_catalog::{Catalog, UsageBatch, UsageKind, UsageRow};
use tollgate_rules::{Directory, Used, User};

use crate::{engine::Engine, stop::Stop};

/// How often it is told. What a node loses that is killed is what was used since.
const EVERY: Duration = Duration::from_secs(5);
/// So many keys and users are told of at once; the others are next.
const ROWS_MAX: usize = 5_000;
/// How long the last telling may take when the server stops.
const LAST_MAX: Duration = Duration::from_secs(2);

/// Tells what was used, each telling once: one whose answer was lost is told again under its number.
#[derive(Debug)]
pub(crate) struct Teller {
    catalog: Catalog,
    engine: Arc<Engine>,
    /// Other than that of any run before.
    node: Arc<str>,
    number: u64,
    pending: Option<UsageBatch>,
}

impl Teller {
    pub(crate) fn new(catalog: Catalog, engine: Arc<Engine>, node: &str) -> Self {
        let run = RandomState::new().hash_one(node);
        Self {
            catalog,
            engine,
            node: format!("{node}-{run:016x}").into(),
            number: 0,
            pending: None,
        }
    }

    /// Tells every now and then, and once more before the end.
    pub(crate) async fn run(mut self, mut stop: Stop) {
        loop {
            let is_over = timeout(EVERY, stop.heard()).await.is_ok();
            if is_over {
                break;
            }
            self.tell().await;
        }
        // What does not get through is lost, and nothing else.
        drop(timeout(LAST_MAX, self.tell()).await);
    }

    async fn tell(&mut self) {
        loop {
            let directory = self.engine.live().directory();
            let (node, number) = (&self.node, self.number);
            let batch = self.pending.get_or_insert_with(|| batch(directory, node, number + 1));
            if batch.rows.is_empty() {
                self.pending = None;
                return;
            }
            if let Err(error) = self.catalog.add_usage(batch).await {
                tracing::debug!(%error, "What was used will be told again.");
                return;
            }
            let is_full = batch.rows.len() >= ROWS_MAX;
            self.number = batch.number;
            self.pending = None;
            if !is_full {
                return;
            }
        }
    }
}

fn batch(directory: &Directory, node: &Arc<str>, number: u64) -> UsageBatch {
    UsageBatch {
        node: Arc::clone(node),
        number,
        rows: directory.take_used(ROWS_MAX).into_iter().map(row).collect(),
    }
}

fn row(used: Used) -> UsageRow {
    let (kind, id) = match used.user {
        User::ApiKey(id) => (UsageKind::ApiKey, id),
        User::Quota(user) => (UsageKind::User, user),
    };
    UsageRow {
        kind,
        id,
        day: used.day,
        allowed: used.allowed,
        denied: used.denied,
        last_at: used.last_at,
    }
}
