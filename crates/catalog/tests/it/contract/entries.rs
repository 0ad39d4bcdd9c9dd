//! API keys, quotas, blocks and tokens.
// Proves: I2, I3

use std::sync::Arc;

use tollgate_catalog::{
    Author, CatalogError, ENTRIES_BATCH_MAX, EntryAt, EntryBody, EntryKind, EntryListing,
    EntryPlace, OverrideSeq, StoredEntry,
};
use tollgate_core::{Clock as _, Micros};

use crate::common::{
    Place, dana, override_of,
    people::{all, api_key, block, key_body, quota, token},
};

const DAY: Micros = Micros::from_secs(24 * 3_600);

fn ids(found: &[StoredEntry]) -> Vec<&str> {
    found.iter().map(|entry| &*entry.id).collect()
}

fn at(id: &str, seen: Option<OverrideSeq>) -> EntryAt {
    let id = id.into();
    EntryAt::Id { id, seen }
}

pub(crate) async fn every_kind_is_put_read_and_removed(place: Place) {
    let catalog = place.open().await;
    let author = Author::new("oncall");
    let bodies = [api_key("alice", 1), quota("alice", "premium"), block("mallory"), token("ci", 2)];
    let mut seqs = Vec::new();
    for body in bodies {
        let kind = body.kind();
        let put = catalog.put_entry(EntryAt::New, body.clone(), &author).await.unwrap();
        seqs.push(put.seq.get());
        assert_eq!((&put.entry.body, put.entry.seq), (&body, put.seq));
        let read = catalog.entry(kind, &put.entry.id).await.unwrap().unwrap();
        assert_eq!(read, put.entry, "what is read is what was put");
        let made = (place.clock.now().wall, Arc::from("oncall"));
        assert_eq!((&read.created, &read.changed), (&made, &made));
        assert_eq!(catalog.entries(&all(kind)).await.unwrap(), [read]);
    }
    assert_eq!(seqs, [1, 2, 3, 4]);
    let listed = async |kind| catalog.entries(&all(kind)).await.unwrap();
    assert_eq!(ids(&listed(EntryKind::ApiKey).await), ["k1"]);
    assert_eq!(ids(&listed(EntryKind::Quota).await), ["alice"]);
    assert_eq!(ids(&listed(EntryKind::Block).await), ["b2"]);
    assert_eq!(ids(&listed(EntryKind::Token).await), ["t3"]);
    // Taken away, once.
    let gone = catalog.remove_entry(EntryKind::Block, "b2", &dana()).await;
    let gone = gone.unwrap().unwrap();
    assert!(gone.entry.is_gone);
    assert_eq!((gone.seq.get(), &*gone.entry.changed.1), (5, "dana"));
    for id in ["b2", "b99"] {
        let again = catalog.remove_entry(EntryKind::Block, id, &author).await;
        assert_eq!(again.unwrap(), None);
        assert_eq!(catalog.entry(EntryKind::Block, id).await.unwrap(), None);
    }
    assert!(listed(EntryKind::Block).await.is_empty());
    assert_eq!(catalog.head().await.unwrap().override_seq, gone.seq);
}

pub(crate) async fn an_entry_is_changed_as_its_editor_saw_it(place: Place) {
    let catalog = place.open().await;
    let put = catalog.put_entry(EntryAt::New, api_key("alice", 1), &dana()).await.unwrap();
    place.clock.advance(DAY);
    let mut body = key_body("alice", 1);
    body.revoked_at = Some(place.clock.now().wall);
    let revoked = EntryBody::ApiKey(body);
    let changed = catalog
        .put_entry(at("k1", Some(put.seq)), revoked.clone(), &Author::new("rex"))
        .await
        .unwrap();
    assert_eq!(changed.entry.created, put.entry.created);
    assert_eq!(changed.entry.changed, (place.clock.now().wall, Arc::from("rex")));
    // Somebody who saw it before.
    let late = catalog.put_entry(at("k1", Some(put.seq)), api_key("alice", 9), &dana()).await;
    assert!(matches!(late, Err(CatalogError::EntryChanged { .. })), "{late:?}");
    // Equal content is not written.
    let same = catalog.put_entry(at("k1", None), revoked, &dana()).await.unwrap();
    assert_eq!((same.seq, &same.entry), (changed.seq, &changed.entry));
    assert_eq!(catalog.head().await.unwrap().override_seq, changed.seq);
    // What is not there is not replaced, and numbers are not made up.
    for wrong in [at("k7", None), EntryAt::Either("k7".into()), at("b1", None)] {
        let error = catalog.put_entry(wrong, api_key("eve", 3), &dana()).await.unwrap_err();
        assert!(matches!(error, CatalogError::UnknownEntry { .. }), "{error}");
    }
    catalog.remove_entry(EntryKind::ApiKey, "k1", &dana()).await.unwrap();
    let error = catalog.put_entry(at("k1", None), api_key("eve", 3), &dana()).await.unwrap_err();
    assert!(error.to_string().contains("there is no api_key"), "{error}");
}

pub(crate) async fn a_quota_is_its_users(place: Place) {
    let catalog = place.open().await;
    let either = || EntryAt::Either("alice".into());
    let first = catalog.put_entry(either(), quota("alice", "free"), &dana()).await.unwrap();
    let second = catalog.put_entry(either(), quota("alice", "pro"), &dana()).await.unwrap();
    assert_eq!((first.seq.get(), second.seq.get()), (1, 2));
    let new = catalog.put_entry(EntryAt::New, quota("alice", "free"), &dana()).await;
    assert!(matches!(new, Err(CatalogError::EntryChanged { .. })), "{new:?}");
    let other = catalog.put_entry(either(), quota("bob", "free"), &dana()).await;
    assert!(matches!(other, Err(CatalogError::UnknownEntry { .. })), "{other:?}");
    let twice = vec![quota("carol", "a"), quota("carol", "b")];
    let twice = catalog.put_entries(twice, &dana()).await;
    assert!(matches!(twice, Err(CatalogError::EntryChanged { .. })), "{twice:?}");
    // Taken away and put again.
    catalog.remove_entry(EntryKind::Quota, "alice", &dana()).await.unwrap();
    let back = catalog.put_entry(either(), quota("alice", "pro"), &dana()).await.unwrap();
    assert_eq!((back.seq.get(), back.entry.is_gone), (4, false));
    let found = catalog.entry(EntryKind::Quota, "alice").await.unwrap();
    assert_eq!(found, Some(back.entry));
}

pub(crate) async fn overrides_and_entries_share_one_order(place: Place) {
    let catalog = place.open_ruled().await;
    let over = || override_of("login", "acme", "2x");
    let first = catalog.put_override(over(), &dana()).await.unwrap();
    let key = catalog.put_entry(EntryAt::New, api_key("alice", 1), &dana()).await.unwrap();
    let second = catalog.put_override(over(), &dana()).await.unwrap();
    assert_eq!((first.seq.get(), key.seq.get(), second.seq.get()), (1, 2, 3));
    assert_eq!((first.ids[0].get(), &*key.entry.id, second.ids[0].get()), (1, "k2", 3));
}

pub(crate) async fn many_entries_are_written_in_batches_and_read_in_pages(place: Place) {
    let catalog = place.open().await;
    let keys = |count: usize| -> Vec<EntryBody> {
        let users = (0..count).map(|at| format!("u{}", at % 3));
        users.map(|user| api_key(&user, 7)).collect()
    };
    let error = catalog.put_entries(keys(ENTRIES_BATCH_MAX + 1), &dana()).await.unwrap_err();
    assert!(matches!(error, CatalogError::TooMany { .. }), "{error}");
    assert_eq!(catalog.put_entries(Vec::new(), &dana()).await.unwrap(), []);
    let put = catalog.put_entries(keys(3_000), &dana()).await.unwrap();
    assert_eq!((put[0].seq.get(), put.len()), (1, 3_000));
    assert!(put.iter().all(|written| written.seq == put[0].seq));
    assert_eq!(place.count("audit").await, 3_000, "each is on record");
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let listing = EntryListing {
            user: Some("u1".into()),
            org: Some("acme".into()),
            after,
            count: 300,
            ..all(EntryKind::ApiKey)
        };
        let page = catalog.entries(&listing).await.unwrap();
        let Some(last) = page.last() else { break };
        after = Some(EntryPlace { seq: last.seq, id: Arc::clone(&last.id) });
        seen.extend(page.into_iter().map(|entry| entry.id));
    }
    assert_eq!(seen.len(), 1_000);
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 1_000, "every one once");
    let nobody = EntryListing { org: Some("beta".into()), ..all(EntryKind::ApiKey) };
    assert_eq!(catalog.entries(&nobody).await.unwrap(), []);
}
