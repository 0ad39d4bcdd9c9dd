//! A node as the tests see it: a watcher, and a board where it puts what is in force.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::{
    sync::{oneshot, watch},
    task::JoinSet,
    time::timeout,
};
use tollgate_catalog::{
    Catalog, EntryDelta, EntryKind, NoSnapshot, NodeId, OverrideDelta, OverrideId, Publish,
    Refused, Revision, RevisionNumber, Scope, StoredEntry, StoredOverride, WatchSettings,
    WatchStatus, Watcher,
};

use super::SOON;

type Entries = BTreeMap<(EntryKind, Arc<str>), StoredEntry>;

/// What is in force.
#[derive(Debug, Default)]
pub(crate) struct Board {
    revision: Mutex<Option<Arc<Revision>>>,
    overrides: Mutex<BTreeMap<OverrideId, StoredOverride>>,
    pages: Mutex<BTreeMap<OverrideId, StoredOverride>>,
    entries: Mutex<Entries>,
    entry_pages: Mutex<Entries>,
    pub(crate) refuses: AtomicBool,
}

impl Publish for Board {
    fn rules(&self, revision: &Arc<Revision>) -> Result<(), Refused> {
        if self.refuses.load(Relaxed) {
            return Err(Refused("the board is full".to_owned()));
        }
        let mut ours = self.revision.lock().unwrap();
        let before = ours.as_ref().map(|before| before.number);
        assert!(before.is_none_or(|before| before < revision.number), "revisions never go back");
        *ours = Some(Arc::clone(revision));
        Ok(())
    }

    fn overrides(&self, delta: OverrideDelta) {
        let entries = delta.entries.into_iter().map(|entry| (entry.id, entry));
        match delta.scope {
            Scope::Everything => {
                let mut pages = self.pages.lock().unwrap();
                pages.extend(entries);
                if delta.is_last {
                    *self.overrides.lock().unwrap() = std::mem::take(&mut *pages);
                }
            }
            _ => self.overrides.lock().unwrap().extend(entries),
        }
    }

    fn entries(&self, delta: EntryDelta) {
        let entries = delta.entries.into_iter();
        let entries = entries.map(|entry| ((entry.body.kind(), Arc::clone(&entry.id)), entry));
        match delta.scope {
            Scope::Everything => {
                let mut pages = self.entry_pages.lock().unwrap();
                if delta.is_first {
                    pages.clear();
                }
                pages.extend(entries);
                if delta.is_last {
                    *self.entries.lock().unwrap() = std::mem::take(&mut *pages);
                }
            }
            _ => self.entries.lock().unwrap().extend(entries),
        }
    }
}

impl Board {
    pub(crate) fn revision(&self) -> Option<Arc<Revision>> {
        self.revision.lock().unwrap().clone()
    }

    /// The entries that have not been taken away.
    pub(crate) fn entries(&self) -> Vec<StoredEntry> {
        let all = self.entries.lock().unwrap();
        let left = all.values().filter(|entry| !entry.is_gone);
        left.cloned().collect()
    }

    /// The overrides that have not been taken away.
    pub(crate) fn overrides(&self) -> Vec<StoredOverride> {
        let all = self.overrides.lock().unwrap();
        all.values().filter(|stored| stored.removed.is_none()).cloned().collect()
    }
}

/// A watcher that runs.
pub(crate) struct Node {
    pub(crate) board: Arc<Board>,
    pub(crate) status: watch::Receiver<WatchStatus>,
    pub(crate) started: Result<(), NoSnapshot>,
    stop: oneshot::Sender<()>,
    tasks: JoinSet<()>,
}

/// The poll is never what brings the news in time by itself; and between two heartbeats a node counts as alive, also on
/// a machine that stalls.
pub(crate) fn settings(name: &str) -> WatchSettings {
    let settings = WatchSettings::new(NodeId::new(name)).poll(Duration::from_secs(600));
    settings.heartbeat(SOON)
}

impl Node {
    pub(crate) async fn start(catalog: Catalog, settings: WatchSettings) -> Self {
        let board = Arc::new(Board::default());
        let (mut watcher, status) = Watcher::new(catalog, Arc::clone(&board), settings);
        let started = watcher.start(SOON).await;
        let (stop, stopped) = oneshot::channel();
        let mut tasks = JoinSet::new();
        tasks.spawn(watcher.run(async move {
            stopped.await.unwrap_or_default();
        }));
        Self { board, status, started, stop, tasks }
    }

    /// Waits for a status that satisfies.
    pub(crate) async fn until(
        &mut self,
        what: &str,
        is_so: impl Fn(&WatchStatus) -> bool,
    ) -> WatchStatus {
        let seen = timeout(SOON, self.status.wait_for(|status| is_so(status))).await;
        let seen = seen.map(|status| status.unwrap().clone());
        seen.unwrap_or_else(|_| {
            panic!("{what}: not within {SOON:?}, but {:?}", self.status.borrow())
        })
    }

    /// Waits until a revision is in force, and nothing is in the way.
    pub(crate) async fn until_revision(&mut self, number: RevisionNumber) -> Arc<Revision> {
        let what = format!("revision {number}");
        self.until(&what, |status| status.revision() == Some(number)).await;
        self.board.revision().unwrap()
    }

    pub(crate) async fn stop(mut self) {
        self.stop.send(()).unwrap_or_default();
        let ended = timeout(SOON, self.tasks.join_next()).await;
        ended.expect("a watcher ends within its deadline").unwrap().unwrap();
    }
}
