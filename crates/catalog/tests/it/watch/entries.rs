//! API keys, quotas, blocks and tokens on every node.
// Proves: I2, I3, I5, R7, R8, R9

use std::{
    fs,
    path::{Path, PathBuf},
    slice,
    sync::Arc,
    time::Duration,
};

use tollgate_catalog::{Catalog, EntryAt, EntryBody, EntryKind, Goal, LastGood};
use tollgate_core::Clock as _;

use crate::common::{
    Place, SOON, dana,
    node::{Node, settings},
    override_of,
    people::{api_key, block, key_body, quota, token},
};

/// A catalog nobody answers for.
fn nowhere(place: &Place) -> Catalog {
    let url = "postgres://nobody@127.0.0.1:1/none".parse().unwrap();
    let options = place.options().call_max(Duration::from_millis(300));
    Catalog::lazy(&url, options).unwrap()
}

pub(crate) fn data(place: &Place) -> PathBuf {
    place.folder.path().join("node")
}

pub(crate) async fn new(writer: &Catalog, body: EntryBody) -> tollgate_catalog::EntryWritten {
    writer.put_entry(EntryAt::New, body, &dana()).await.unwrap()
}

pub(crate) async fn a_revoked_key_reaches_every_node(place: Place) {
    let writer = place.open_ruled().await;
    let key = new(&writer, api_key("alice", 1)).await;
    let mut nodes = Vec::new();
    for name in ["a", "b"] {
        nodes.push(Node::start(place.open().await, settings(name)).await);
    }
    for node in &nodes {
        assert_eq!(node.board.entries(), slice::from_ref(&key.entry), "known from the start");
    }
    let mut revoked = key_body("alice", 1);
    revoked.revoked_at = Some(place.clock.now().wall);
    let at = EntryAt::Either(Arc::clone(&key.entry.id));
    let revoked = writer.put_entry(at, EntryBody::ApiKey(revoked), &dana()).await.unwrap();
    let confirmed = writer.wait_confirmed(Goal::Overrides(revoked.seq), SOON).await.unwrap();
    assert_eq!(confirmed.confirmed.len(), 2, "{confirmed:?}");
    for node in &nodes {
        assert_eq!(node.board.entries(), slice::from_ref(&revoked.entry));
    }
    let mut last = revoked.seq;
    for body in [quota("alice", "pro"), block("mallory"), token("ci", 2)] {
        last = new(&writer, body).await.seq;
    }
    let over = override_of("login", "acme", "2x");
    writer.put_override(over, &dana()).await.unwrap();
    let gone = writer.remove_entry(EntryKind::Block, "b2", &dana()).await;
    let gone = gone.unwrap().unwrap();
    assert!(gone.seq > last);
    for mut node in nodes {
        node.until("the removal", |status| status.override_seq == gone.seq).await;
        assert_eq!(node.board.entries().len(), 3, "a key, a quota, a token");
        assert_eq!(node.board.overrides().len(), 1);
        node.stop().await;
    }
}

pub(crate) async fn an_entry_of_a_newer_release_holds_up_no_other(place: Place) {
    let writer = place.open().await;
    new(&writer, api_key("alice", 1)).await;
    new(&writer, api_key("bob", 2)).await;
    place
        .execute(
            "UPDATE entries SET kind = 'budget', id = 'x1' WHERE id = 'k2'; \
                  UPDATE entries SET body = replace(body, 'hint', 'colour') WHERE id = 'k1'",
        )
        .await;
    let mut node = Node::start(place.open().await, settings("a")).await;
    let third = new(&writer, block("mallory")).await;
    let status = node.until("the third", |status| status.override_seq == third.seq).await;
    assert_eq!(node.board.entries(), [third.entry]);
    let trouble = status.trouble.unwrap().to_string();
    assert!(trouble.contains("cannot be read by this release"), "{trouble}");
    node.stop().await;
}

/// Whoever confirms a revocation must not go on with a key that was revoked in words it does not know.
pub(crate) async fn what_cannot_be_read_opens_nothing_and_lifts_no_bound(place: Place) {
    let writer = place.open().await;
    for body in [api_key("alice", 1), token("ci", 2)] {
        new(&writer, body).await;
    }
    let bounds = [
        new(&writer, quota("alice", "pro")).await.entry,
        new(&writer, block("mallory")).await.entry,
    ];
    let at_home = || settings("a").data(data(&place));
    let mut node = Node::start(place.open().await, at_home()).await;
    assert_eq!(node.board.entries().len(), 4);
    let odd = "UPDATE entries SET seq = seq + 100, body = replace(body, '{', '{\"colour\":1,')";
    place.execute(odd).await;
    let last = new(&writer, block("eve")).await;
    let status = node
        .until("the last", |status| status.override_seq == last.seq && status.trouble.is_some())
        .await;
    let [quota, block] = bounds;
    let left = [quota, block, last.entry];
    assert_eq!(node.board.entries(), left, "neither a key nor a token");
    let trouble = status.trouble.unwrap().to_string();
    assert!(trouble.contains("cannot be read"), "{trouble}");
    node.stop().await;
    let node = Node::start(nowhere(&place), at_home()).await;
    assert_eq!(node.board.entries(), left, "and so it is without a database");
    node.stop().await;
}

pub(crate) async fn entries_outlive_a_restart_without_a_database(place: Place) {
    let writer = place.open_ruled().await;
    let key = new(&writer, api_key("alice", 1)).await;
    let over = override_of("login", "acme", "2x");
    writer.put_override(over, &dana()).await.unwrap();
    let at_home = || settings("a").data(data(&place));
    let mut node = Node::start(place.open().await, at_home()).await;
    let mut last = key.seq;
    for body in [quota("alice", "pro"), block("mallory"), token("ci", 2)] {
        last = new(&writer, body).await.seq;
    }
    let gone = writer.remove_entry(EntryKind::Block, "b3", &dana()).await;
    last = gone.unwrap().map_or(last, |gone| gone.seq);
    node.until("all of it", |status| status.override_seq == last).await;
    let before = node.board.entries();
    assert_eq!(before.len(), 3);
    node.stop().await;
    let node = Node::start(nowhere(&place), at_home()).await;
    assert!(node.started.is_ok());
    assert_eq!(node.board.entries(), before);
    assert_eq!(node.board.overrides().len(), 1);
    assert_eq!(node.status.borrow().override_seq, last);
    node.stop().await;
}

/// Rewrites the copy as a release would that knows of no entries.
pub(crate) fn forget_entries(path: &Path) {
    let bytes = fs::read(path).unwrap();
    let (head, mut rest) = bytes.split_at(12);
    let mut former = head.to_vec();
    while let Some((length, more)) = rest.split_first_chunk::<4>() {
        let length = usize::try_from(u32::from_le_bytes(*length)).unwrap();
        let mut page: serde_json::Value = serde_json::from_slice(&more[..length]).unwrap();
        page.as_object_mut().unwrap().remove("identities");
        let payload = page.to_string().into_bytes();
        former.extend(u32::try_from(payload.len()).unwrap().to_le_bytes());
        former.extend(&payload);
        former.extend(&blake3::hash(&payload).as_bytes()[..8]);
        rest = &more[length + 8..];
    }
    fs::write(path, former).unwrap();
}

/// A write that the copy could not keep is not missing from it for ever.
pub(crate) async fn a_copy_that_missed_a_write_is_written_anew(place: Place) {
    let writer = place.open_ruled().await;
    new(&writer, api_key("alice", 1)).await;
    let at_home = || settings("a").data(data(&place));
    let mut node = Node::start(place.open().await, at_home()).await;
    let path = LastGood::new(&data(&place)).overrides_path();
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let missed = new(&writer, api_key("bob", 2)).await;
    node.until("it says so", |status| {
        status.override_seq == missed.seq && status.last_good.is_some()
    })
    .await;
    fs::remove_dir(&path).unwrap();
    let last = new(&writer, block("mallory")).await;
    node.until("it is kept", |status| {
        status.override_seq == last.seq && status.last_good.is_none()
    })
    .await;
    let before = node.board.entries();
    assert_eq!(before.len(), 3);
    node.stop().await;
    let node = Node::start(nowhere(&place), at_home()).await;
    assert_eq!(node.board.entries(), before);
    node.stop().await;
}
