//! Nodes and news.

use std::{sync::atomic::Ordering::Relaxed, time::Duration};

use tollgate_catalog::{Goal, Origin, RevisionNumber, Trouble};

use crate::common::{
    Place, SOON, dana,
    node::{Node, settings},
    override_of, put, rule,
};

pub(crate) async fn news_reach_every_node(place: Place) {
    let writer = place.open().await;
    let mut nodes = Vec::new();
    for name in ["a", "b", "c"] {
        nodes.push(Node::start(place.open().await, settings(name)).await);
    }
    for node in &nodes {
        assert!(node.started.is_ok());
        assert_eq!(node.board.revision().unwrap().number, RevisionNumber::ZERO);
    }
    for priority in 1..=5 {
        let written = writer.edit(put(rule("login", priority))).await.unwrap();
        for node in &mut nodes {
            let revision = node.until_revision(written.revision).await;
            assert_eq!(revision.hash, written.hash);
            assert_eq!(*revision, *writer.load(written.revision).await.unwrap());
        }
    }
    for mut node in nodes {
        let status = node.until("all is well", |status| status.trouble.is_none()).await;
        assert_eq!(status.in_force.unwrap().origin, Origin::Database);
        assert_eq!(status.stale_since, None);
        node.stop().await;
    }
}

pub(crate) async fn overrides_reach_every_node(place: Place) {
    let writer = place.open_ruled().await;
    let first = writer.put_override(override_of("login", "before", "2x"), &dana()).await.unwrap();
    let mut node = Node::start(place.open().await, settings("a")).await;
    assert_eq!(node.board.overrides().len(), 1, "known from the start");
    let second = writer.put_override(override_of("login", "after", "3x"), &dana()).await.unwrap();
    node.until("the second", |status| status.override_seq == second.seq).await;
    assert_eq!(node.board.overrides().len(), 2);
    let gone = writer.remove_overrides(&first.ids, &dana()).await.unwrap();
    node.until("the removal", |status| status.override_seq == gone.seq).await;
    let left = node.board.overrides();
    assert_eq!((left.len(), left.first().unwrap().id), (1, second.ids[0]));
    node.stop().await;
}

pub(crate) async fn an_override_of_a_newer_release_holds_up_no_other(place: Place) {
    let writer = place.open_ruled().await;
    writer.put_override(override_of("login", "a", "2x"), &dana()).await.unwrap();
    place.execute("UPDATE overrides SET body = replace(body, 'factor', 'colour')").await;
    let mut node = Node::start(place.open().await, settings("a")).await;
    let second = writer.put_override(override_of("login", "b", "3x"), &dana()).await.unwrap();
    let status = node.until("the second", |status| status.override_seq == second.seq).await;
    assert_eq!(node.board.overrides().len(), 1);
    let trouble = status.trouble.unwrap().to_string();
    assert!(trouble.contains("override 1 cannot be read by this release"), "{trouble}");
    node.stop().await;
}

pub(crate) async fn a_write_is_confirmed_by_every_node(place: Place) {
    let writer = place.open().await;
    let mut nodes = Vec::new();
    for name in ["a", "b", "c", "d", "e"] {
        nodes.push(Node::start(place.open().await, settings(name)).await);
    }
    let written = writer.edit(put(rule("login", 1))).await.unwrap();
    let confirmed = writer.wait_confirmed(Goal::Revision(written.revision), SOON).await.unwrap();
    assert!(confirmed.is_complete(), "{confirmed:?}");
    assert_eq!(confirmed.confirmed.len(), 5);
    let put = writer.put_override(override_of("login", "acme", "2x"), &dana()).await.unwrap();
    let confirmed = writer.wait_confirmed(Goal::Overrides(put.seq), SOON).await.unwrap();
    assert_eq!(confirmed.confirmed.len(), 5, "{confirmed:?}");
    // Whoever has said goodbye is not waited for.
    nodes.pop().unwrap().stop().await;
    let written = writer.edit(crate::common::put(rule("login", 2))).await.unwrap();
    let confirmed = writer.wait_confirmed(Goal::Revision(written.revision), SOON).await.unwrap();
    assert!(confirmed.is_complete(), "{confirmed:?}");
    assert_eq!(confirmed.confirmed.len(), 4);
    for node in nodes {
        node.stop().await;
    }
}

pub(crate) async fn a_refused_revision_leaves_the_one_before(place: Place) {
    let writer = place.open().await;
    let first = writer.edit(put(rule("login", 1))).await.unwrap();
    let mut node = Node::start(place.open().await, settings("a")).await;
    node.board.refuses.store(true, Relaxed);
    writer.edit(put(rule("login", 2))).await.unwrap();
    let status = node.until("trouble", |status| status.trouble.is_some()).await;
    assert_eq!(status.trouble, Some(Trouble::Refused("the board is full".to_owned())));
    assert_eq!(status.revision(), Some(first.revision));
    assert!(status.stale_since.is_some());
    node.board.refuses.store(false, Relaxed);
    let third = writer.edit(put(rule("login", 3))).await.unwrap();
    node.until_revision(third.revision).await;
    node.stop().await;
}

pub(crate) async fn a_revision_of_a_newer_release_leaves_the_one_before(place: Place) {
    let writer = place.open().await;
    let first = writer.edit(put(rule("login", 1))).await.unwrap();
    let mut node = Node::start(place.open().await, settings("a")).await;
    // What a later release may write: the same tables, a rule with a word we do not know.
    place
        .execute(
            "BEGIN; \
             INSERT INTO revisions (number, hash, kind, author, created_at, changed) \
             SELECT 2, hash, 'edit', 'newer', 0, 1 FROM revisions WHERE number = 1; \
             INSERT INTO items (kind, id, name, position, body, hash, created_revision, \
             from_revision, to_revision) SELECT 'budget', 'b1', 'b1', 0, '{}', hash, 2, 2, \
             to_revision FROM items WHERE kind = 'rule'; \
             COMMIT",
        )
        .await;
    // Told by hand, since nobody else did.
    if place.postgres.is_some() {
        place.execute("SELECT pg_notify('tollgate', '')").await;
    }
    let status = node.until("trouble", |status| status.trouble.is_some()).await;
    let trouble = status.trouble.as_ref().unwrap().to_string();
    assert!(trouble.contains("this release cannot read"), "{trouble}");
    assert_eq!(status.revision(), Some(first.revision));
    assert_eq!(status.head.unwrap().revision.get(), 2);
    assert_eq!(node.board.revision().unwrap().number, first.revision);
    node.stop().await;
}

pub(crate) async fn a_watcher_ends_when_told(place: Place) {
    let node = Node::start(place.open().await, settings("a")).await;
    let catalog = place.open().await;
    node.stop().await;
    let nodes = catalog.nodes().await.unwrap();
    assert_eq!(nodes.len(), 1);
    assert!(!nodes.first().unwrap().is_live);
    // Also one that cannot reach anything.
    let url = "postgres://nobody@127.0.0.1:1/none".parse().unwrap();
    let options = place.options().call_max(Duration::from_millis(300));
    let nowhere = tollgate_catalog::Catalog::lazy(&url, options).unwrap();
    let node = Node::start(nowhere, settings("b")).await;
    assert!(node.started.is_err());
    node.stop().await;
}
