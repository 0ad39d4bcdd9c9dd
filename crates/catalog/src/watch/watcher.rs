//! The task of a node that follows the catalog.

use std::{fmt, future::Future, pin::pin, sync::Arc, time::Duration};

use tokio::{
    sync::watch,
    time::{MissedTickBehavior, interval, sleep},
};
use tollgate_core::Timestamp;

use super::{Hints, Publish, WatchSettings, WatchStatus, backoff::Backoff};
use crate::{Catalog, CatalogError, NodeReport, OverrideMark, Revision, lastgood::LastGood};

/// Follows the catalog for one node: fetches what is new, puts it in force, keeps a copy on disk, and
/// reports what the node runs.
///
/// [`Watcher::start`] puts the first snapshot in force; [`Watcher::run`] follows from there until told to
/// stop.
pub struct Watcher<P> {
    pub(super) catalog: Catalog,
    pub(super) publish: Arc<P>,
    pub(super) settings: WatchSettings,
    pub(super) status: watch::Sender<WatchStatus>,
    pub(super) last_good: Option<LastGood>,
    pub(super) revision: Option<Arc<Revision>>,
    pub(super) mark: OverrideMark,
    pub(super) is_ready: bool,
    /// Why an override is not in force, if one is not.
    pub(super) skipped: Option<String>,
    started_at: Timestamp,
}

impl<P: Publish> Watcher<P> {
    /// A watcher that has not asked for anything yet, and where to read how it does.
    pub fn new(
        catalog: Catalog,
        publish: Arc<P>,
        settings: WatchSettings,
    ) -> (Self, watch::Receiver<WatchStatus>) {
        let (status, receiver) = watch::channel(WatchStatus::default());
        let watcher = Self {
            started_at: catalog.now(),
            last_good: settings.data.as_deref().map(LastGood::new),
            catalog,
            publish,
            settings,
            status,
            revision: None,
            mark: OverrideMark::default(),
            is_ready: false,
            skipped: None,
        };
        (watcher, receiver)
    }

    /// Follows the catalog until `shutdown`, through every outage of the database; then says goodbye,
    /// within a deadline.
    pub async fn run(mut self, shutdown: impl Future<Output = ()> + Send) {
        {
            let follow = pin!(self.follow());
            let shutdown = pin!(shutdown);
            tokio::select! {
                () = follow => {}
                () = shutdown => {}
            }
        }
        let left = self.catalog.leave(&self.settings.node).await;
        // A database that is away finds out by itself that we are.
        left.unwrap_or_default();
    }

    async fn follow(&mut self) {
        let mut backoff = Backoff::new(self.settings.node.clone());
        let mut heartbeat = interval(self.settings.heartbeat);
        let mut poll = interval(self.settings.poll);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut hints: Option<Hints> = None;
        loop {
            // Listening comes before asking: what is written in between is heard.
            if hints.is_none() {
                hints = self.catalog.hints().await.ok();
            }
            if let Err(error) = self.sync().await {
                self.fail(&error);
                hints = None;
                sleep(backoff.next()).await;
                continue;
            }
            if hints.is_some() {
                backoff.reset();
            }
            let is_deaf = hints.is_none();
            let mut retry = pin!(sleep(if is_deaf { backoff.next() } else { self.settings.poll }));
            poll.reset();
            loop {
                tokio::select! {
                    heard = next(&mut hints) => {
                        if heard.is_err() {
                            hints = None;
                            sleep(RECONNECT_PAUSE).await;
                        }
                        break;
                    }
                    _ = poll.tick() => break,
                    () = &mut retry, if is_deaf => break,
                    _ = heartbeat.tick() => {
                        if self.report().await.is_err() {
                            break;
                        }
                    }
                }
            }
        }
    }

    /// Says what this node runs.
    pub(super) async fn report(&self) -> Result<(), CatalogError> {
        let Some(revision) = &self.revision else {
            return Ok(());
        };
        let report = NodeReport {
            id: self.settings.node.clone(),
            revision: revision.number,
            hash: revision.hash,
            override_seq: self.mark.seq(),
            started_at: self.started_at,
            every: self.settings.heartbeat,
        };
        self.catalog.report(&report).await
    }
}

/// Whoever kills our connections again and again shall not keep us busy.
const RECONNECT_PAUSE: Duration = Duration::from_millis(20);

/// Nobody is heard where nobody listens.
async fn next(hints: &mut Option<Hints>) -> Result<(), CatalogError> {
    match hints {
        Some(hints) => hints.next().await,
        None => std::future::pending().await,
    }
}

impl<P> fmt::Debug for Watcher<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watcher").field("settings", &self.settings).finish_non_exhaustive()
    }
}
