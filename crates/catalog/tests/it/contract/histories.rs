//! What was written stays readable.

use tollgate_catalog::{Base, CatalogError, ItemKind, Page, RevisionKind, RevisionNumber};
use tollgate_core::{Clock as _, Micros};

use crate::common::{Place, dana, name, override_of, put, remove, rule, set};

fn number(number: u64) -> RevisionNumber {
    RevisionNumber::new(number).unwrap()
}

pub(crate) async fn every_revision_can_be_read_again(place: Place) {
    let catalog = place.open().await;
    let mut kept = vec![catalog.latest().await.unwrap()];
    for priority in 1..=6 {
        catalog.edit(put(rule("login", priority))).await.unwrap();
        kept.push(catalog.latest().await.unwrap());
        catalog.edit(put(rule(&format!("r{priority}"), priority))).await.unwrap();
        kept.push(catalog.latest().await.unwrap());
    }
    let fresh = place.open().await;
    for revision in kept {
        assert_eq!(*fresh.load(revision.number).await.unwrap(), *revision);
    }
    let error = fresh.load(number(99)).await.unwrap_err();
    assert_eq!(error.to_string(), "there is no revision 99: the history ends at 12");
}

pub(crate) async fn changes_tell_before_and_after(place: Place) {
    let catalog = place.open().await;
    catalog.edit(put(rule("login", 1))).await.unwrap();
    place.clock.advance(Micros::from_secs(60));
    catalog.edit(put(rule("login", 2))).await.unwrap();
    catalog.edit(remove("login")).await.unwrap();
    let info = catalog.revision(number(2)).await.unwrap();
    assert_eq!((info.kind, info.changed, &*info.author), (RevisionKind::Edit, 1, "dana"));
    assert_eq!(info.reason.as_deref(), Some("a test"));
    assert_eq!(info.created_at, place.clock.now().wall);
    let changes = catalog.changes(number(2)).await.unwrap();
    assert_eq!(changes.len(), 1);
    assert_eq!((changes[0].kind, &*changes[0].name), (ItemKind::Rule, "login"));
    assert!(changes[0].before.as_ref().unwrap().contains("\"priority\":1"));
    assert!(changes[0].after.as_ref().unwrap().contains("\"priority\":2"));
    let removed = catalog.changes(number(3)).await.unwrap();
    assert_eq!(removed[0].before, changes[0].after);
    assert_eq!(removed[0].after, None);
    assert!(catalog.changes(number(9)).await.is_err());
}

pub(crate) async fn a_rollback_is_a_new_revision(place: Place) {
    let catalog = place.open().await;
    let mut with_override = (*set([rule("login", 1)])).clone();
    with_override.overrides =
        vec![override_of("login", "acme", "2x"), override_of("login", "beta", "3x")];
    let old = catalog.apply(&with_override.into(), Base::Any, dana()).await.unwrap();
    catalog.apply(&set([rule("search", 2)]), Base::Any, dana()).await.unwrap();
    let back = catalog.rollback(old.revision, dana()).await.unwrap();
    assert_eq!((back.revision, back.hash), (number(3), old.hash));
    let latest = catalog.latest().await.unwrap();
    assert_eq!(latest.set, catalog.load(old.revision).await.unwrap().set);
    assert_eq!(latest.set.overrides.len(), 2);
    let info = catalog.revision(back.revision).await.unwrap();
    assert_eq!((info.kind, info.back_to), (RevisionKind::Rollback, Some(old.revision)));
    // To the beginning, too.
    let zero = catalog.rollback(RevisionNumber::ZERO, dana()).await.unwrap();
    assert_eq!(zero.revision, number(4));
    assert_eq!(catalog.latest().await.unwrap().set, set([]));
    let error = catalog.rollback(number(77), dana()).await.unwrap_err();
    assert!(matches!(error, CatalogError::UnknownRevision { .. }), "{error}");
}

pub(crate) async fn pages_meet(place: Place) {
    let catalog = place.open().await;
    for priority in 1..=7 {
        catalog.edit(put(rule("login", priority))).await.unwrap();
    }
    let (mut numbers, mut page) = (Vec::new(), Page::newest(3));
    loop {
        let infos = catalog.history(page).await.unwrap();
        let Some(last) = infos.last() else { break };
        page = page.before(last.number);
        numbers.extend(infos.iter().map(|info| info.number.get()));
    }
    assert_eq!(numbers, [7, 6, 5, 4, 3, 2, 1]);
}

pub(crate) async fn a_damaged_item_is_found(place: Place) {
    let catalog = place.open().await;
    catalog.edit(put(rule("login", 1))).await.unwrap();
    place
        .execute("UPDATE items SET body = replace(body, 'login', 'logon') WHERE kind = 'rule'")
        .await;
    let error = place.open().await.latest().await.unwrap_err();
    assert!(matches!(error, CatalogError::Corrupt(_)), "{error}");
    place.execute("DELETE FROM items WHERE kind = 'rule'").await;
    let error = place.open().await.latest().await.unwrap_err();
    assert!(error.to_string().contains("revision 1 does not have its hash"), "{error}");
}

pub(crate) async fn a_newer_item_is_named(place: Place) {
    let catalog = place.open().await;
    catalog.edit(put(rule("login", 1))).await.unwrap();
    place
        .execute(
            "INSERT INTO items (kind, id, name, position, body, hash, created_revision, \
             from_revision, to_revision) SELECT 'budget', 'b1', 'b1', 0, '{}', hash, 1, 1, to_revision \
             FROM items WHERE kind = 'rule'",
        )
        .await;
    let error = place.open().await.latest().await.unwrap_err();
    let shown = error.to_string();
    assert!(matches!(error, CatalogError::Unreadable { .. }), "{shown}");
    assert!(shown.contains("revision 1 holds an item of kind \"budget\""), "{shown}");
}

pub(crate) async fn thousands_of_rules_are_written_and_read(place: Place) {
    let catalog = place.open().await;
    let rules = set((0..3_000).map(|at| rule(&format!("r{at}"), at)));
    let written = catalog.apply(&rules, Base::Any, dana()).await.unwrap();
    assert_eq!(place.open().await.latest().await.unwrap().set, rules);
    let one = catalog.edit(put(rule("r17", -1))).await.unwrap();
    assert_eq!((one.revision.get(), one.changed), (written.revision.get() + 1, 1));
    assert_eq!(catalog.changes(one.revision).await.unwrap().len(), 1);
    let none = catalog.apply(&set([]), Base::Any, dana()).await.unwrap();
    assert_eq!(none.changed, 3_000);
    let back = catalog.rollback(one.revision, dana()).await.unwrap();
    assert_eq!((back.hash, back.changed), (one.hash, 3_000));
    let latest = place.open().await.latest().await.unwrap();
    assert_eq!(latest.set.rules[&name("r17")].priority, -1);
}
