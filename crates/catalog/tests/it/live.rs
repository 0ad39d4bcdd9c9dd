//! From a write in the database to a decision on a node.

use std::{sync::Arc, time::Duration};

use tokio::{sync::oneshot, task::JoinSet, time::timeout};
use tollgate_catalog::{
    Catalog, EntryAt, EntryKind, LivePublisher, NodeId, OverrideSeq, WatchSettings, WatchStatus,
    Watcher,
};
use tollgate_core::{Clock as _, Limit};
use tollgate_rules::{Live, Query};

use crate::common::{
    Place, SOON, dana, override_of,
    people::{api_key, block, digest, quota},
    put, remove, rule,
};

/// A node that decides.
struct Node {
    live: Arc<Live>,
    status: tokio::sync::watch::Receiver<WatchStatus>,
    stop: oneshot::Sender<()>,
    tasks: JoinSet<()>,
}

impl Node {
    async fn start(place: &Place) -> Self {
        Self::over(place, place.open().await).await
    }

    /// With another database.
    async fn start_at(place: &Place, url: &str) -> Self {
        let options = place.options().call_max(Duration::from_millis(300));
        let catalog = Catalog::lazy(&url.parse().unwrap(), options).unwrap();
        Self::over(place, catalog).await
    }

    async fn over(place: &Place, catalog: Catalog) -> Self {
        let live = Arc::new(Live::new());
        let publisher = Arc::new(LivePublisher::new(Arc::clone(&live)));
        let settings = WatchSettings::new(NodeId::new("a"))
            .poll(Duration::from_millis(200))
            .data(place.folder.path().join("node"));
        let (mut watcher, status) = Watcher::new(catalog, publisher, settings);
        watcher.start(SOON).await.unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let mut tasks = JoinSet::new();
        tasks.spawn(watcher.run(async move { stopped.await.unwrap_or_default() }));
        Self { live, status, stop, tasks }
    }

    async fn until(&mut self, is_so: impl Fn(&WatchStatus) -> bool) {
        let seen = timeout(SOON, self.status.wait_for(is_so)).await;
        drop(seen.unwrap().unwrap());
    }

    /// The limit that a user would meet now.
    fn limit_of(&self, user: &str, place: &Place) -> Option<Limit> {
        let snapshot = self.live.snapshot().unwrap();
        let query = Query::new().user(user).unwrap();
        let wall = place.clock.now().wall;
        let plan = snapshot.plan(&query, self.live.directory(), wall);
        plan.lines().first().map(|line| line.limit().limit.clone())
    }

    async fn stop(mut self) {
        self.stop.send(()).unwrap();
        timeout(SOON, self.tasks.join_next()).await.unwrap();
    }
}

fn amount(limit: Option<Limit>) -> Option<u64> {
    limit.map(|limit| limit.amount())
}

// Proves: R8, R12
async fn a_write_becomes_a_decision(place: Place) {
    let writer = place.open().await;
    writer.edit(put(rule("login", 1))).await.unwrap();
    let mut node = Node::start(&place).await;
    assert_eq!(amount(node.limit_of("acme", &place)), Some(5));

    let draft = override_of("login", "acme", "3x");
    let raised = writer.put_override(draft, &dana()).await.unwrap();
    node.until(|status| status.override_seq >= raised.seq).await;
    assert_eq!(amount(node.limit_of("acme", &place)), Some(15));
    assert_eq!(amount(node.limit_of("other", &place)), Some(5));

    let ended = writer.remove_overrides(&raised.ids, &dana()).await.unwrap();
    node.until(|status| status.override_seq >= ended.seq).await;
    place.clock.advance(Duration::from_millis(1));
    assert_eq!(amount(node.limit_of("acme", &place)), Some(5));

    let blocked = writer.edit(remove("login")).await.unwrap();
    node.until(|status| status.revision() == Some(blocked.revision)).await;
    assert_eq!(amount(node.limit_of("acme", &place)), None);
    node.stop().await;
}

/// A node that starts without its database decides as it did before, overrides included.
// Proves: R9
async fn a_restart_without_the_database_decides_as_before(place: Place) {
    let writer = place.open().await;
    writer.edit(put(rule("login", 1))).await.unwrap();
    writer.put_override(override_of("login", "acme", "3x"), &dana()).await.unwrap();
    Node::start(&place).await.stop().await;

    let gone = Place { url: "postgres://tollgate@127.0.0.1:1/gone".parse().unwrap(), ..place };
    let live = Arc::new(Live::new());
    let publisher = Arc::new(LivePublisher::new(Arc::clone(&live)));
    let settings = WatchSettings::new(NodeId::new("a")).data(gone.folder.path().join("node"));
    let catalog = Catalog::lazy(&gone.url, gone.options()).unwrap();
    let (mut watcher, status) = Watcher::new(catalog, publisher, settings);
    watcher.start(Duration::from_secs(2)).await.unwrap();
    assert!(status.borrow().stale_since.is_some(), "the status says so");
    let (stop, tasks) = (oneshot::channel().0, JoinSet::new());
    let node = Node { live, status, stop, tasks };
    assert_eq!(amount(node.limit_of("acme", &gone)), Some(15));
    assert_eq!(amount(node.limit_of("other", &gone)), Some(5));
}

/// API keys, quotas and blocks of the catalog are in the directory, and leave it again; also from the copy on disk.
// Proves: I2, I3, R9
async fn entries_become_decisions(place: Place) {
    let writer = place.open().await;
    writer.edit(put(rule("login", 1))).await.unwrap();
    let mut node = Node::start(&place).await;
    let mut last = OverrideSeq::ZERO;
    for body in [api_key("alice", 1), quota("alice", "pro"), block("mallory")] {
        let put = writer.put_entry(EntryAt::New, body, &dana()).await;
        last = put.unwrap().seq;
    }
    node.until(|status| status.override_seq >= last).await;
    let is_blocked = |live: &Live| {
        let query = Query::new().user("mallory").unwrap();
        let snapshot = live.snapshot().unwrap();
        let plan = snapshot.plan(&query, live.directory(), place.clock.now().wall);
        plan.lines().is_empty()
    };
    let card = node.live.directory().key(&digest(1)).unwrap();
    assert_eq!(card.key().user.as_deref(), Some("alice"));
    let card = node.live.directory().quota("alice").unwrap();
    assert_eq!(card.quota().tier.as_deref(), Some("pro"));
    assert!(is_blocked(&node.live));
    node.stop().await;

    let node = Node::start_at(&place, "postgres://tollgate@127.0.0.1:1/gone").await;
    assert!(node.live.directory().key(&digest(1)).is_some());
    assert!(node.live.directory().quota("alice").is_some());
    assert!(is_blocked(&node.live), "also without the database");
    node.stop().await;

    let mut node = Node::start(&place).await;
    for (kind, id) in
        [(EntryKind::ApiKey, "k1"), (EntryKind::Quota, "alice"), (EntryKind::Block, "b2")]
    {
        let gone = writer.remove_entry(kind, id, &dana()).await.unwrap();
        last = gone.unwrap().seq;
    }
    node.until(|status| status.override_seq >= last).await;
    assert!(node.live.directory().key(&digest(1)).is_none());
    assert!(node.live.directory().quota("alice").is_none());
    assert!(!is_blocked(&node.live));
    node.stop().await;
}

/// All of them, on databases of one kind.
pub(crate) async fn all(place: impl Fn() -> Place) {
    entries_become_decisions(place()).await;
    a_write_becomes_a_decision(place()).await;
    a_restart_without_the_database_decides_as_before(place()).await;
}

#[tokio::test]
async fn on_sqlite() {
    all(Place::sqlite).await;
}
