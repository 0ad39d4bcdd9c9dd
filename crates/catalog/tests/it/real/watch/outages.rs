//! The database goes away, and comes back.

use std::time::Duration;

use tollgate_catalog::{Catalog, CatalogError, DatabaseUrl, RevisionNumber, Trouble};
use tollgate_testkit::{postgres::Postgres, proxy::Proxy};

use crate::common::{
    Place, at_last, dana,
    node::{Node, settings},
    override_of, put, rule,
};

fn is_database(trouble: &Option<Trouble>) -> bool {
    matches!(trouble, Some(Trouble::Database(_)))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_goes_on_while_the_server_is_stopped_and_paused() {
    let mut server = Postgres::start();
    let place = Place::at(server.database("outage"));
    let writer = place.open().await;
    let first = writer.edit(put(rule("login", 1))).await.unwrap();
    // The one that is to notice: it has no patience.
    let options = place.options().call_max(Duration::from_secs(1));
    let catalog = Catalog::lazy(&place.url, options).unwrap();
    let mut node = Node::start(catalog.clone(), settings("a")).await;
    node.until_revision(first.revision).await;
    server.stop();
    let status = node.until("it notices", |status| is_database(&status.trouble)).await;
    assert_eq!(status.revision(), Some(first.revision));
    assert!(status.stale_since.is_some());
    // On a machine that stalls there may be no time left to learn why there is no answer.
    let error = at_last(|| catalog.edit(put(rule("login", 2)))).await;
    let error = error.unwrap_err();
    assert!(matches!(error, CatalogError::Unreachable(_)), "{error}");
    assert!(error.is_transient());
    server.start_again();
    node.until("it is back", |status| status.trouble.is_none()).await;
    let second = writer.edit(put(rule("login", 2))).await.unwrap();
    node.until_revision(second.revision).await;
    server.pause();
    let status = node.until("it notices", |status| is_database(&status.trouble)).await;
    assert_eq!(status.revision(), Some(second.revision));
    let error = catalog.head().await.unwrap_err();
    assert!(error.is_transient(), "{error}");
    server.resume();
    node.until("it is back", |status| status.trouble.is_none()).await;
    let third = writer.edit(put(rule("login", 3))).await.unwrap();
    node.until_revision(third.revision).await;
    node.until("all is well", |status| status.stale_since.is_none()).await;
    node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_answer_says_that_the_write_may_have_happened() {
    let database = Postgres::shared().database("lost_reply");
    let proxy = Proxy::to(Postgres::shared().addr());
    let place = Place::at(database.clone());
    let watcher = place.open().await;
    let url: DatabaseUrl = database.url_at(proxy.addr()).parse().unwrap();
    let catalog = Catalog::open_with(&url, place.options()).await.unwrap();
    catalog.edit(put(rule("login", 1))).await.unwrap();
    proxy.drop_reply_to(b"COMMIT");
    let error = catalog.edit(put(rule("login", 2))).await.unwrap_err();
    assert_eq!(proxy.replies_dropped(), 1, "the fault took place");
    assert!(matches!(error, CatalogError::Undecided(_)), "{error}");
    assert!(error.to_string().contains("may have happened"), "{error}");
    proxy.flow();
    // It did happen; saying it again changes nothing.
    assert_eq!(watcher.head().await.unwrap().revision.get(), 2);
    let again = catalog.edit(put(rule("login", 2))).await.unwrap();
    assert_eq!((again.revision.get(), again.changed), (2, 0));
    // An answer that is lost before the commit: certainly nothing. Connections that have prepared the
    // statement do not send its text again, so these are new ones.
    let catalog = Catalog::open_with(&url, place.options()).await.unwrap();
    proxy.drop_reply_to(b"INSERT INTO revisions");
    let error = catalog.edit(put(rule("login", 3))).await.unwrap_err();
    assert!(matches!(error, CatalogError::Unreachable(_)), "{error}");
    proxy.flow();
    assert_eq!(watcher.head().await.unwrap().revision.get(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restored_backup_does_not_take_a_node_back() {
    let server = Postgres::start();
    let place = Place::at(server.database("restored"));
    let database = place.postgres.clone().unwrap();
    let writer = place.open().await;
    writer.edit(put(rule("login", 1))).await.unwrap();
    writer.put_override(override_of("login", "kept", "2x"), &dana()).await.unwrap();
    let dump = database.dump();
    let data = place.folder.path().join("node");
    let mut node = Node::start(place.open().await, settings("a").data(data)).await;
    for priority in 2..=4 {
        writer.edit(put(rule("login", priority))).await.unwrap();
    }
    writer.put_override(override_of("login", "lost", "2x"), &dana()).await.unwrap();
    node.until("all of it", |status| {
        status.revision().is_some_and(|it| it.get() == 4) && status.override_seq.get() == 2
    })
    .await;
    tokio::task::spawn_blocking(move || database.restore(&dump)).await.unwrap();
    let older = |trouble: &Option<Trouble>| matches!(trouble, Some(Trouble::Older { .. }));
    let status = node.until("it says so", |status| older(&status.trouble)).await;
    assert_eq!(status.revision(), RevisionNumber::new(4));
    assert!(status.stale_since.is_some());
    assert_eq!(node.board.overrides().len(), 2);
    // The next writes go above, and everybody follows them.
    let writer = place.open().await;
    let written = writer.edit(put(rule("search", 9))).await.unwrap();
    assert_eq!(written.revision.get(), 5);
    let revision = node.until_revision(written.revision).await;
    assert_eq!(*revision, *writer.latest().await.unwrap());
    let put = writer.put_override(override_of("login", "new", "2x"), &dana()).await.unwrap();
    assert_eq!(put.seq.get(), 3);
    node.until("the override", |status| status.override_seq == put.seq).await;
    let users: Vec<_> = node.board.overrides().into_iter().map(|entry| entry.what.key).collect();
    let users: Vec<&str> =
        users.iter().flat_map(|key| key.values().map(|value| &**value)).collect();
    assert_eq!(users, ["kept", "new"], "what the backup does not know is gone");
    node.until("all is well", |status| status.trouble.is_none()).await;
    node.stop().await;
}
