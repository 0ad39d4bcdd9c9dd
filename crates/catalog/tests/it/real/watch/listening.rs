//! Notifications that are lost.

use std::time::Duration;

use tollgate_catalog::{Catalog, DatabaseUrl};
use tollgate_testkit::{
    postgres::{Connections, Postgres},
    proxy::Proxy,
    wait_for,
};

use crate::common::{
    Place, SOON,
    node::{Node, settings},
    put, rule,
};

#[tokio::test(flavor = "multi_thread")]
async fn killed_listeners_end_on_the_last_revision() {
    let place = Place::postgres();
    let writer = place.open().await;
    let mut nodes = Vec::new();
    for name in ["a", "b", "c", "d", "e"] {
        nodes.push(Node::start(place.open().await, settings(name)).await);
    }
    let database = place.postgres.clone().unwrap();
    let listeners = database.clone();
    let all_listen = move || {
        wait_for("five listeners", SOON, || {
            let count = listeners.execute(
                "select count(*) from pg_stat_activity \
                 where application_name = 'tollgate-listen' and datname = current_database()",
            );
            (count == "5").then_some(())
        });
    };
    tokio::task::spawn_blocking(all_listen).await.unwrap();
    let mut killed = 0;
    for priority in 1..=50 {
        writer.edit(put(rule("login", priority))).await.unwrap();
        if priority % 3 == 0 {
            let database = database.clone();
            let kill =
                move || database.kill_connections(Connections::OfApplication("tollgate-listen"));
            killed += tokio::task::spawn_blocking(kill).await.unwrap();
        }
    }
    assert!(killed >= 5, "the fault took place: {killed}");
    let last = writer.head().await.unwrap().revision;
    assert_eq!(last.get(), 50);
    for mut node in nodes {
        let revision = node.until_revision(last).await;
        assert_eq!(revision.set.rules.values().next().unwrap().priority, 50);
        node.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_poll_finds_what_no_notification_told() {
    let place = Place::postgres();
    let writer = place.open().await;
    let quick = settings("a").poll(Duration::from_millis(200));
    let mut node = Node::start(place.open().await, quick).await;
    // Written behind the catalog's back, so that nobody is told.
    writer.edit(put(rule("login", 1))).await.unwrap();
    node.until_revision(writer.head().await.unwrap().revision).await;
    place
        .execute(
            "INSERT INTO revisions (number, hash, kind, author, created_at, changed) \
             SELECT 2, hash, 'edit', 'quiet', 0, 0 FROM revisions WHERE number = 1",
        )
        .await;
    node.until("the poll", |status| status.revision().is_some_and(|it| it.get() == 2)).await;
    node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listener_that_died_without_a_word_is_noticed() {
    let database = Postgres::shared().database("half_open");
    let proxy = Proxy::to(Postgres::shared().addr());
    let place = Place::at(database.clone());
    let writer = place.open().await;
    let url: DatabaseUrl = database.url_at(proxy.addr()).parse().unwrap();
    let options = place.options().call_max(Duration::from_secs(1));
    let catalog = Catalog::lazy(&url, options).unwrap();
    let mut node = Node::start(catalog, settings("a")).await;
    writer.edit(put(rule("login", 1))).await.unwrap();
    node.until_revision(writer.head().await.unwrap().revision).await;
    // From now on nothing arrives any more, and nobody is told that the connection is gone.
    proxy.stall();
    let last = writer.edit(put(rule("login", 2))).await.unwrap().revision;
    node.until("it notices", |status| status.stale_since.is_some()).await;
    proxy.flow();
    tokio::time::timeout(SOON, node.until_revision(last)).await.unwrap();
    node.stop().await;
}
