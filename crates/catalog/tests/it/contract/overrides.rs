//! Overrides made through the API.
// Proves: D14

use std::{collections::BTreeMap, sync::Arc};

use tollgate_catalog::{
    Author, CatalogError, Draft, Edit, Expect, Listing, OVERRIDES_BATCH_MAX, OverrideId,
    OverrideSeq, RevisionNumber, Step, StoredOverride,
};
use tollgate_core::{Clock as _, Micros};
use tollgate_rules::{Change, Field};

use crate::common::{Place, dana, name, override_of, put, rule};

const DAY: Micros = Micros::from_secs(24 * 3_600);

fn ids(found: &[StoredOverride]) -> Vec<u64> {
    found.iter().map(|stored| stored.id.get()).collect()
}

pub(crate) async fn an_override_is_put_listed_and_removed(place: Place) {
    let catalog = place.open_ruled().await;
    let author = Author::new("oncall");
    let first = catalog.put_override(override_of("login", "acme", "2x"), &author).await.unwrap();
    let second = catalog.put_override(override_of("login", "beta", "3x"), &author).await.unwrap();
    assert_eq!((first.seq.get(), second.seq.get()), (1, 2));
    let found = catalog.overrides(&Listing::default()).await.unwrap();
    assert_eq!(ids(&found), [1, 2]);
    assert_eq!(found[0].what, override_of("login", "acme", "2x"));
    assert_eq!((&*found[0].author, found[0].created_at), ("oncall", place.clock.now().wall));
    // Replaced in its place.
    let draft = Draft { id: Some(first.ids[0]), what: override_of("login", "acme", "5x") };
    let third = catalog.put_override(draft, &author).await.unwrap();
    assert_eq!((third.ids, third.seq.get()), (first.ids.clone(), 3));
    let stored = catalog.override_by_id(first.ids[0]).await.unwrap().unwrap();
    assert_eq!(stored.what, override_of("login", "acme", "5x"));
    let nobody = OverrideId::new(99).unwrap();
    let draft = Draft { id: Some(nobody), what: override_of("login", "acme", "5x") };
    let error = catalog.put_override(draft, &author).await.unwrap_err();
    assert!(matches!(error, CatalogError::UnknownOverride(_)), "{error}");
    // Taken away, once.
    let gone = catalog.remove_overrides(&[second.ids[0], nobody], &author).await.unwrap();
    assert_eq!((gone.ids, gone.seq.get()), (second.ids.clone(), 4));
    let again = catalog.remove_overrides(&second.ids, &author).await.unwrap();
    assert_eq!((again.ids.len(), again.seq.get()), (0, 4));
    let now = place.clock.now().wall;
    let found = catalog.overrides(&Listing::default().in_force_at(now)).await.unwrap();
    assert_eq!(ids(&found), [1]);
    let stored = catalog.override_by_id(second.ids[0]).await.unwrap().unwrap();
    assert_eq!(&*stored.removed.as_ref().unwrap().by, "oncall");
    assert!(!stored.is_in_force(now));
    let next = catalog.put_override(override_of("login", "c", "2x"), &author).await.unwrap();
    assert_eq!(next.ids[0].get(), 3, "numbers are not given twice");
}

pub(crate) async fn overrides_are_found_by_rule_and_key(place: Place) {
    let catalog = place.open_ruled().await;
    for (rule, user) in [("login", "acme"), ("search", "acme"), ("login", "beta")] {
        catalog.put_override(override_of(rule, user, "2x"), &dana()).await.unwrap();
    }
    let listing = Listing::default().rule(name("login"));
    assert_eq!(ids(&catalog.overrides(&listing).await.unwrap()), [1, 3]);
    let key = BTreeMap::from([(Field::User, Arc::from("acme"))]);
    assert_eq!(ids(&catalog.overrides(&Listing::default().key(&key)).await.unwrap()), [1, 2]);
    let both = Listing::default().key(&key).rule(name("search"));
    assert_eq!(ids(&catalog.overrides(&both).await.unwrap()), [2]);
    let first = catalog.overrides(&Listing::default().count(2)).await.unwrap();
    let rest = Listing::default().count(2).after(&first[1]);
    assert_eq!((ids(&first), ids(&catalog.overrides(&rest).await.unwrap())), (vec![1, 2], vec![3]));
}

pub(crate) async fn a_rollback_leaves_overrides_alone(place: Place) {
    let catalog = place.open_ruled().await;
    catalog.edit(put(rule("login", 1))).await.unwrap();
    catalog.put_override(override_of("login", "acme", "2x"), &dana()).await.unwrap();
    let gone = catalog.put_override(override_of("login", "beta", "2x"), &dana()).await.unwrap();
    catalog.remove_overrides(&gone.ids, &dana()).await.unwrap();
    let before = catalog.overrides(&Listing::default()).await.unwrap();
    catalog.rollback(RevisionNumber::ZERO, dana()).await.unwrap();
    assert_eq!(catalog.overrides(&Listing::default()).await.unwrap(), before);
    assert_eq!(catalog.head().await.unwrap().override_seq, OverrideSeq::new(3).unwrap());
}

pub(crate) async fn ended_overrides_are_kept_for_a_while(place: Place) {
    let catalog = place.open_ruled().await;
    let mut short = override_of("login", "acme", "2x");
    short.until = Some(place.clock.now().wall.saturating_add(DAY));
    catalog.put_override(short, &dana()).await.unwrap();
    let gone = catalog.put_override(override_of("login", "beta", "2x"), &dana()).await.unwrap();
    catalog.remove_overrides(&gone.ids, &dana()).await.unwrap();
    catalog.put_override(override_of("login", "for-ever", "2x"), &dana()).await.unwrap();
    for _ in 0..30 {
        place.clock.advance(DAY);
    }
    catalog.put_override(override_of("login", "x", "2x"), &dana()).await.unwrap();
    let now = place.clock.now().wall;
    let all = catalog.overrides(&Listing::default()).await.unwrap();
    assert_eq!(all.len(), 4);
    assert_eq!(all.iter().filter(|stored| stored.is_in_force(now)).count(), 2);
    for _ in 0..12 {
        place.clock.advance(DAY);
    }
    catalog.put_override(override_of("login", "y", "2x"), &dana()).await.unwrap();
    let all = catalog.overrides(&Listing::default()).await.unwrap();
    assert_eq!(ids(&all), [3, 4, 5]);
}

pub(crate) async fn many_are_written_in_batches(place: Place) {
    let catalog = place.open_ruled().await;
    let drafts = |from: usize, count: usize| -> Vec<Draft> {
        let users = (from..from + count).map(|at| format!("u{at}"));
        users.map(|user| override_of("login", &user, "2x").into()).collect()
    };
    let error =
        catalog.put_overrides(drafts(0, OVERRIDES_BATCH_MAX + 1), &dana()).await.unwrap_err();
    assert!(matches!(error, CatalogError::TooMany { .. }), "{error}");
    for batch in 0..3 {
        let put = catalog.put_overrides(drafts(batch * 5_000, 5_000), &dana()).await.unwrap();
        assert_eq!(put.ids.len(), 5_000);
    }
    let (mut listing, mut count) = (Listing::default(), 0);
    loop {
        let page = catalog.overrides(&listing).await.unwrap();
        count += page.len();
        let Some(last) = page.last() else { break };
        listing = Listing::default().after(last);
    }
    assert_eq!(count, 15_000);
    assert_eq!(catalog.head().await.unwrap().override_seq.get(), 3);
}

/// R12: an exception that could never count is refused, not kept and ignored.
// Proves: R12
pub(crate) async fn an_override_that_fits_no_rule_is_refused(place: Place) {
    let catalog = place.open_ruled().await;
    let mut other_period = override_of("login", "acme", "2x");
    other_period.change = Change::Limit("500/h".parse().unwrap());
    let mut other_key = override_of("login", "acme", "2x");
    other_key.key.insert(Field::Org, "acme".into());
    let unknown = override_of("lgoin", "acme", "2x");
    for (draft, told) in [
        (other_period, "has no limit per h"),
        (other_key, "does not count by org"),
        (unknown, "did you mean \"login\"?"),
    ] {
        let error = catalog.put_override(draft, &dana()).await.unwrap_err();
        assert!(matches!(error, CatalogError::Invalid(_)), "{error}");
        assert!(error.to_string().contains(told), "{error}");
    }
    assert_eq!(catalog.head().await.unwrap().override_seq, OverrideSeq::ZERO);
}

/// 12.10: whoever renames a rule through the API keeps its overrides, as often as it is renamed.
// Proves: R12
pub(crate) async fn overrides_follow_a_rule_that_is_renamed(place: Place) {
    let catalog = place.open_ruled().await;
    let put = override_of("login", "acme", "2x");
    catalog.put_override(put, &dana()).await.unwrap();
    let mut former = name("login");
    let id = catalog.latest().await.unwrap().set.rules[&former].id;
    for now in ["sign-in", "enter"] {
        let mut renamed = (*catalog.latest().await.unwrap().set.rules[&former]).clone();
        renamed.name = name(now);
        let step = Step::rename(former.clone(), renamed);
        let edit = Edit::new(dana()).step(step, Expect::Any);
        catalog.edit(edit).await.unwrap();
        let found = catalog.overrides(&Listing::default().rule(name(now))).await.unwrap();
        assert_eq!(found[0].what.rule, Some(name(now)));
        assert_eq!(found[0].rule_id, Some(id));
        former = name(now);
    }
}
