//! How long entries stay, and through what.

use std::sync::Arc;

use tollgate_catalog::{CatalogError, EntryAt, EntryBody, EntryKind, RevisionNumber};
use tollgate_core::{Clock as _, Micros};

use crate::common::{
    Place, dana,
    people::{all, api_key, block, digest, key_body, quota},
    put, rule,
};

const DAY: Micros = Micros::from_secs(24 * 3_600);

pub(crate) async fn entries_that_are_gone_are_kept_for_a_while(place: Place) {
    let catalog = place.open().await;
    let put = async |body| {
        let put = catalog.put_entry(EntryAt::New, body, &dana()).await;
        put.unwrap().entry.id
    };
    let removed = put(api_key("alice", 1)).await;
    let mut short = block("mallory");
    if let EntryBody::Block(body) = &mut short {
        body.block.until = Some(place.clock.now().wall.saturating_add(DAY));
    }
    put(short).await;
    let mut old = key_body("bob", 2);
    old.revoked_at = Some(place.clock.now().wall);
    old.former = Some((digest(3), place.clock.now().wall));
    let revoked = put(EntryBody::ApiKey(old)).await;
    let gone = catalog.remove_entry(EntryKind::ApiKey, &removed, &dana()).await.unwrap();
    assert!(gone.is_some());
    for _ in 0..42 {
        place.clock.advance(DAY);
    }
    put(block("eve")).await;
    let rows = place.count("entries").await;
    assert_eq!(rows, 2, "the removed key and the block that ended are gone");
    // A key that was revoked is known as such for ever.
    let kept = catalog.entry(EntryKind::ApiKey, &revoked).await.unwrap();
    assert!(kept.is_some());
}

pub(crate) async fn an_entry_that_cannot_be_read_is_named(place: Place) {
    let catalog = place.open().await;
    catalog.put_entry(EntryAt::New, api_key("alice", 1), &dana()).await.unwrap();
    place.execute("UPDATE entries SET body = replace(body, '\"hint\"', '\"colour\"')").await;
    let error = catalog.entries(&all(EntryKind::ApiKey)).await.unwrap_err();
    assert!(
        error.to_string().starts_with("api_key \"k1\" cannot be read by this release"),
        "{error}"
    );
    let long = catalog.put_entry(EntryAt::New, quota(&"u".repeat(20_000), "a"), &dana()).await;
    assert!(matches!(long, Err(CatalogError::TooMany { .. })), "{long:?}");
}

/// 12.12: what is beside the rules is not brought back with them.
// Proves: I2, I3, I5, O2, R7
pub(crate) async fn a_rollback_neither_revives_a_key_nor_lifts_a_block(place: Place) {
    let catalog = place.open_ruled().await;
    let early = RevisionNumber::new(1).unwrap();
    let key = catalog.put_entry(EntryAt::New, api_key("alice", 1), &dana()).await.unwrap();
    catalog.edit(put(rule("login", 5))).await.unwrap();
    let mut revoked = key_body("alice", 1);
    revoked.revoked_at = Some(place.clock.now().wall);
    let id = Arc::clone(&key.entry.id);
    let revoked = EntryBody::ApiKey(revoked);
    catalog.put_entry(EntryAt::Either(id), revoked, &dana()).await.unwrap();
    catalog.put_entry(EntryAt::New, block("mallory"), &dana()).await.unwrap();
    let all_of = async || {
        let mut found = Vec::new();
        for kind in EntryKind::ALL {
            found.extend(catalog.entries(&all(kind)).await.unwrap());
        }
        (found, catalog.head().await.unwrap().override_seq)
    };
    let before = all_of().await;
    for to in [early, RevisionNumber::ZERO] {
        catalog.rollback(to, dana()).await.unwrap();
        assert_eq!(all_of().await, before);
    }
    let EntryBody::ApiKey(kept) = &before.0[0].body else {
        panic!("not a key");
    };
    assert!(kept.revoked_at.is_some());
}
