//! The first snapshot.

use std::{fs, path::PathBuf, time::Duration};

use tollgate_catalog::{Catalog, LastGood, Origin, Trouble};

use crate::common::{
    Place, dana,
    node::{Node, settings},
    override_of, put, rule,
};

/// A catalog nobody answers for.
fn nowhere(place: &Place) -> Catalog {
    let url = "postgres://nobody@127.0.0.1:1/none".parse().unwrap();
    let options = place.options().call_max(Duration::from_millis(300));
    Catalog::lazy(&url, options).unwrap()
}

fn data(place: &Place) -> PathBuf {
    place.folder.path().join("node")
}

pub(crate) async fn the_last_good_copy_serves_without_a_database(place: Place) {
    let writer = place.open().await;
    writer.edit(put(rule("login", 1))).await.unwrap();
    let written = writer.edit(put(rule("search", 2))).await.unwrap();
    let node = Node::start(place.open().await, settings("a").data(data(&place))).await;
    let before = node.board.revision().unwrap();
    node.stop().await;
    let node = Node::start(nowhere(&place), settings("a").data(data(&place))).await;
    assert!(node.started.is_ok(), "{:?}", node.started);
    assert_eq!(*node.board.revision().unwrap(), *before);
    let status = node.status.borrow().clone();
    let in_force = status.in_force.unwrap();
    assert_eq!((in_force.revision, in_force.origin), (written.revision, Origin::LastGood));
    assert!(status.stale_since.is_some());
    assert!(matches!(status.trouble, Some(Trouble::Database(_))), "{status:?}");
    node.stop().await;
}

pub(crate) async fn without_anything_there_is_no_snapshot(place: Place) {
    let node = Node::start(nowhere(&place), settings("a").data(data(&place))).await;
    let error = node.started.as_ref().unwrap_err().to_string();
    assert!(error.starts_with("no snapshot: the database "), "{error}");
    assert!(error.ends_with("no last good copy on disk"), "{error}");
    assert_eq!(node.status.borrow().in_force, None);
    node.stop().await;
}

pub(crate) async fn a_node_does_not_go_back_over_a_restart(place: Place) {
    let writer = place.open().await;
    for priority in 1..=3 {
        writer.edit(put(rule("login", priority))).await.unwrap();
    }
    let node = Node::start(place.open().await, settings("a").data(data(&place))).await;
    let before = node.board.revision().unwrap();
    node.stop().await;
    // As after a restore: the database has forgotten the last two.
    place.forget_revisions_after(1).await;
    let mut node = Node::start(place.open().await, settings("a").data(data(&place))).await;
    assert_eq!(*node.board.revision().unwrap(), *before);
    let is_older = |trouble: &Option<Trouble>| matches!(trouble, Some(Trouble::Older { .. }));
    node.until("it says so", |status| is_older(&status.trouble)).await;
    let fresh = place.open().await;
    let written = fresh.edit(put(rule("login", 9))).await.unwrap();
    assert_eq!(written.revision.get(), 4, "above what the node runs");
    node.until_revision(written.revision).await;
    node.until("all is well", |status| status.trouble.is_none()).await;
    node.stop().await;
}

pub(crate) async fn damaged_copies_are_moved_aside(place: Place) {
    let writer = place.open().await;
    writer.edit(put(rule("login", 1))).await.unwrap();
    let node = Node::start(place.open().await, settings("a").data(data(&place))).await;
    node.stop().await;
    let path = LastGood::new(&data(&place)).rules_path();
    let whole = fs::read(&path).unwrap();
    // Cut anywhere, or with any byte changed, it is never used and never a panic.
    let cuts = (0..whole.len()).step_by(7).map(|at| whole[..at].to_vec());
    let flips = (0..whole.len()).step_by(7).map(|at| {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x40;
        bytes
    });
    let aside = path.with_extension("corrupt");
    for bytes in cuts.chain(flips) {
        fs::write(&path, &bytes).unwrap();
        let error = LastGood::new(&data(&place)).load_rules().unwrap_err();
        assert!(error.to_string().contains("it was moved to"), "{error}");
        assert_eq!(fs::read(&aside).unwrap(), bytes);
        assert!(!path.exists());
        fs::remove_file(&aside).unwrap();
    }
    // A node says so, and serves from the database.
    fs::write(&path, b"tollgate, but not ours").unwrap();
    let node = Node::start(place.open().await, settings("a").data(data(&place))).await;
    assert!(node.started.is_ok());
    assert!(aside.exists());
    node.stop().await;
    fs::write(&path, b"x").unwrap();
    let node = Node::start(nowhere(&place), settings("a").data(data(&place))).await;
    let error = node.started.as_ref().unwrap_err().to_string();
    assert!(error.contains("it is too short"), "{error}");
    assert!(node.status.borrow().last_good.is_some());
    node.stop().await;
}

pub(crate) async fn overrides_outlive_a_restart_without_a_database(place: Place) {
    let writer = place.open().await;
    writer.edit(put(rule("login", 1))).await.unwrap();
    writer.put_override(override_of("login", "a", "2x"), &dana()).await.unwrap();
    let mut node = Node::start(place.open().await, settings("a").data(data(&place))).await;
    let second = writer.put_override(override_of("login", "b", "2x"), &dana()).await.unwrap();
    node.until("the second", |status| status.override_seq == second.seq).await;
    let gone = writer.remove_overrides(&second.ids, &dana()).await.unwrap();
    node.until("the removal", |status| status.override_seq == gone.seq).await;
    let third = writer.put_override(override_of("login", "c", "2x"), &dana()).await.unwrap();
    node.until("the third", |status| status.override_seq == third.seq).await;
    let before = node.board.overrides();
    node.stop().await;
    // A write that was not finished when the machine stopped is left out.
    let path = LastGood::new(&data(&place)).overrides_path();
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend_from_slice(&[200, 1, 0, 0, b'{']);
    fs::write(&path, bytes).unwrap();
    let node = Node::start(nowhere(&place), settings("a").data(data(&place))).await;
    assert!(node.started.is_ok());
    assert_eq!(node.board.overrides(), before);
    assert_eq!(node.status.borrow().override_seq, third.seq);
    node.stop().await;
    // And the next one is added where the good part ends.
    let fourth = writer.put_override(override_of("login", "d", "2x"), &dana()).await.unwrap();
    let mut node = Node::start(place.open().await, settings("a").data(data(&place))).await;
    node.until("the fourth", |status| status.override_seq == fourth.seq).await;
    node.stop().await;
    let node = Node::start(nowhere(&place), settings("a").data(data(&place))).await;
    assert_eq!(node.board.overrides().len(), 3);
    node.stop().await;
}
