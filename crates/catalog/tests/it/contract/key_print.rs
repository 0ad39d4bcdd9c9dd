//! Which secret API keys are hashed with.
// Proves: I2

use tollgate_catalog::{CatalogError, EntryAt, EntryBody, EntryKind};

use crate::common::{
    Place, dana,
    people::{api_key, key_body, quota},
};

pub(crate) async fn all_keys_are_hashed_with_one_secret(place: Place) {
    let (catalog, other) = (place.open().await, place.open().await);
    catalog.hash_keys_with("0123".to_owned());
    other.hash_keys_with("4567".to_owned());
    let put = async |body| catalog.put_entry(EntryAt::New, body, &dana()).await;
    put(quota("alice", "pro")).await.unwrap();
    assert_eq!(catalog.key_print().await.unwrap(), None, "no key yet");
    let key = put(api_key("alice", 1)).await.unwrap().entry;
    assert_eq!(other.key_print().await.unwrap().as_deref(), Some("0123"));
    put(api_key("alice", 2)).await.unwrap();
    // A node with another secret issues nothing that the others would not know.
    let refused = other.put_entry(EntryAt::New, api_key("bob", 3), &dana()).await.unwrap_err();
    assert!(matches!(refused, CatalogError::OtherKeySecret), "{refused}");
    let refused = other.put_entries(vec![api_key("bob", 3)], &dana()).await;
    assert!(matches!(refused, Err(CatalogError::OtherKeySecret)));
    let rotated = EntryAt::Either(key.id.clone());
    let refused = other.put_entry(rotated, api_key("alice", 9), &dana()).await;
    assert!(matches!(refused, Err(CatalogError::OtherKeySecret)));
    // But it revokes.
    let mut revoked = key_body("alice", 1);
    revoked.revoked_at = Some(key.created.0);
    let at = EntryAt::Either(key.id.clone());
    let body = EntryBody::ApiKey(revoked);
    other.put_entry(at, body, &dana()).await.unwrap();
}

pub(crate) async fn a_removal_heeds_what_the_editor_saw(place: Place) {
    let catalog = place.open().await;
    let alice = EntryAt::Either("alice".into());
    let put = async |body| catalog.put_entry(alice.clone(), body, &dana()).await;
    let seen = put(quota("alice", "free")).await.unwrap().seq;
    let now = put(quota("alice", "pro")).await.unwrap().seq;
    let dana = dana();
    let remove = |seen| catalog.remove_seen(EntryKind::Quota, "alice", Some(seen), &dana);
    let error = remove(seen).await.unwrap_err();
    assert!(matches!(error, CatalogError::EntryChanged { .. }), "{error}");
    assert!(remove(now).await.unwrap().is_some());
    assert!(remove(now).await.unwrap().is_none(), "it is gone");
}
