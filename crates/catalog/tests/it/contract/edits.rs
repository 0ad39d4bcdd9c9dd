//! Writing, and who may.

use std::sync::Arc;

use tollgate_catalog::{Base, CatalogError, Conflict, Edit, Expect, RevisionNumber, Step};
use tollgate_core::Timestamp;
use tollgate_rules::{Field, Override, RuleSet, Tier};

use crate::common::{Place, at_last, dana, name, put, remove, rule, set};

fn number(number: u64) -> RevisionNumber {
    RevisionNumber::new(number).unwrap()
}

fn conflict(error: CatalogError) -> Conflict {
    match error {
        CatalogError::Conflict(conflict) => *conflict,
        other => panic!("not a conflict: {other}"),
    }
}

pub(crate) async fn an_empty_catalog_is_revision_zero(place: Place) {
    let catalog = place.open().await;
    let latest = catalog.latest().await.unwrap();
    assert_eq!(latest.number, RevisionNumber::ZERO);
    assert_eq!(*latest.set, RuleSet::default());
    assert_eq!(catalog.head().await.unwrap().hash, latest.hash);
    let same = catalog.apply(&set([]), Base::Any, dana()).await.unwrap();
    assert_eq!((same.revision, same.changed), (RevisionNumber::ZERO, 0));
}

pub(crate) async fn a_write_makes_the_next_revision(place: Place) {
    let catalog = place.open().await;
    let first = catalog.edit(put(rule("login", 1))).await.unwrap();
    assert_eq!(first.revision, number(1));
    let second = catalog.edit(put(rule("search", 2))).await.unwrap();
    assert_eq!((second.revision, second.changed), (number(2), 1));
    let latest = catalog.latest().await.unwrap();
    assert_eq!((latest.number, latest.hash), (second.revision, second.hash));
    assert_eq!(latest.set, set([rule("login", 1), rule("search", 2)]));
    let stamp = latest.rule_stamp(&name("search")).unwrap();
    assert_eq!((stamp.version, &*stamp.created.by), (number(2), "dana"));
    // Somebody who comes later reads the same.
    assert_eq!(*place.open().await.latest().await.unwrap(), *latest);
    let third = catalog.edit(remove("login")).await.unwrap();
    assert_eq!((third.revision, third.changed), (number(3), 1));
    assert_eq!(catalog.latest().await.unwrap().set, set([rule("search", 2)]));
    assert_eq!(*place.open().await.latest().await.unwrap(), *catalog.latest().await.unwrap());
}

pub(crate) async fn equal_content_is_not_written(place: Place) {
    let catalog = place.open().await;
    let rules = set([rule("login", 1), rule("search", 2)]);
    let first = catalog.apply(&rules, Base::Any, dana()).await.unwrap();
    assert_eq!(first.revision, number(1));
    let again = catalog.apply(&rules, Base::Any, dana()).await.unwrap();
    assert_eq!((again.revision, again.hash, again.changed), (first.revision, first.hash, 0));
    let edit = catalog.edit(put(rule("login", 1))).await.unwrap();
    assert_eq!((edit.revision, edit.changed), (first.revision, 0));
    let back = catalog.rollback(first.revision, dana()).await.unwrap();
    assert_eq!((back.revision, back.changed), (first.revision, 0));
    assert_eq!(catalog.head().await.unwrap().revision, first.revision);
}

/// Of two overrides of one key the later in the file wins, so their order is content.
pub(crate) async fn another_order_of_overrides_is_a_change(place: Place) {
    let catalog = place.open().await;
    let mut rules = (*set([rule("login", 1)])).clone();
    for until in [1_000, 2_000] {
        let mut what = Override::new(Some(name("login")));
        what.key.insert(Field::User, "acme".into());
        what.until = Some(Timestamp::from_micros(until));
        rules.overrides.push(what);
    }
    let apply = async |rules: &RuleSet| {
        let rules = Arc::new(rules.clone());
        catalog.apply(&rules, Base::Any, dana()).await.unwrap()
    };
    assert_eq!(apply(&rules).await.revision, number(1));
    rules.overrides.reverse();
    let moved = apply(&rules).await;
    assert_eq!((moved.revision, moved.changed), (number(2), 2));
    assert_eq!(apply(&rules).await.changed, 0);
}

pub(crate) async fn two_editors_and_one_wins(place: Place) {
    let catalog = place.open().await;
    let start = catalog.edit(put(rule("login", 0))).await.unwrap().revision;
    let mut tasks = tokio::task::JoinSet::new();
    for editor in 1..=8 {
        let catalog = place.open().await;
        let step = Step::put(rule("login", editor));
        let edit = Edit::new(dana()).step(step, Expect::Version(start));
        tasks.spawn(async move { (editor, at_last(|| catalog.edit(edit.clone())).await) });
    }
    let (mut won, mut lost) = (Vec::new(), 0);
    while let Some(done) = tasks.join_next().await {
        match done.unwrap() {
            (editor, Ok(written)) => {
                assert_eq!(written.revision, number(2));
                won.push(editor);
            }
            (editor, Err(error)) => {
                let conflict = conflict(error);
                assert_eq!(conflict.found, Some(number(2)));
                assert_eq!(conflict.ours.rules[&name("login")].priority, editor);
                assert!(conflict.to_string().contains("rule login is at version 2 now, not at 1"));
                lost += 1;
            }
        }
    }
    assert_eq!((won.len(), lost), (1, 7));
    let latest = catalog.latest().await.unwrap();
    assert_eq!((latest.number, latest.set.rules[&name("login")].priority), (number(2), won[0]));
}

pub(crate) async fn expectations_hold_or_nothing_is_written(place: Place) {
    let catalog = place.open().await;
    catalog.edit(put(rule("login", 0))).await.unwrap();
    let edit = |step: Step, expect: Expect| {
        Edit::new(dana()).step(Step::put(rule("beside", 9)), Expect::Any).step(step, expect)
    };
    let refused = [
        edit(Step::put(rule("login", 1)), Expect::Absent),
        edit(Step::put(rule("gone", 1)), Expect::Version(number(1))),
        edit(Step::put(rule("login", 1)), Expect::Version(number(7))),
        edit(Step::remove(name("gone")), Expect::Any),
        edit(Step::rename(name("gone"), rule("new", 1)), Expect::Any),
        edit(Step::RemoveTier(name("gone")), Expect::Any),
    ];
    for edit in refused {
        let shown = format!("{edit:?}");
        let error = catalog.edit(edit).await.unwrap_err();
        let conflict = conflict(error);
        assert_eq!(conflict.head.number, number(1), "{shown}");
    }
    assert_eq!(catalog.head().await.unwrap().revision, number(1));
    let fine = [
        edit(Step::put(rule("new", 1)), Expect::Absent),
        edit(Step::put(rule("login", 1)), Expect::Version(number(1))),
        edit(Step::Tier(Tier::new(name("gold"), 9)), Expect::Absent),
        edit(Step::DefaultTier(name("premium")), Expect::Any),
    ];
    for edit in fine {
        catalog.edit(edit).await.unwrap();
    }
    let set = Arc::clone(&catalog.latest().await.unwrap().set);
    assert_eq!(set.default_tier, name("premium"));
    assert_eq!(set.tiers[&name("gold")].rank, 9);
}

pub(crate) async fn a_set_made_from_an_older_revision_is_refused(place: Place) {
    let catalog = place.open().await;
    let base = catalog.apply(&set([rule("a", 1)]), Base::Any, dana()).await.unwrap().revision;
    catalog.edit(put(rule("b", 2))).await.unwrap();
    let ours = set([rule("a", 7)]);
    let error = catalog.apply(&ours, Base::Revision(base), dana()).await.unwrap_err();
    let conflict = conflict(error);
    assert_eq!((conflict.expected, conflict.found), (Expect::Version(base), Some(number(2))));
    assert_eq!(conflict.ours, ours);
    assert!(conflict.head.set.rules.contains_key(&name("b")));
    let fresh = Base::Revision(number(2));
    assert_eq!(catalog.apply(&ours, fresh, dana()).await.unwrap().revision, number(3));
}

pub(crate) async fn a_renamed_rule_keeps_its_id(place: Place) {
    let catalog = place.open().await;
    catalog.edit(put(rule("login", 1))).await.unwrap();
    let id = name("login").rule_id();
    let step = Step::rename(name("login"), rule("sign-in", 1));
    catalog.edit(Edit::new(dana()).step(step, Expect::Version(number(1)))).await.unwrap();
    let latest = catalog.latest().await.unwrap();
    assert_eq!(latest.set.rules[&name("sign-in")].id, id);
    assert!(!latest.set.rules.contains_key(&name("login")));
    let stamp = latest.rule_stamp(&name("sign-in")).unwrap();
    assert_eq!(stamp.version, number(2));
    // A new rule under the first name is another rule.
    catalog.edit(put(rule("login", 5))).await.unwrap();
    let latest = catalog.latest().await.unwrap();
    assert_eq!(latest.set.rules[&name("sign-in")].id, id);
    assert_ne!(latest.set.rules[&name("login")].id, id);
    assert_eq!(*place.open().await.latest().await.unwrap(), *latest);
    // Onto a name that is taken: a conflict.
    let step = Step::rename(name("sign-in"), rule("login", 1));
    let error = catalog.edit(Edit::new(dana()).step(step, Expect::Any)).await.unwrap_err();
    assert!(error.to_string().contains("rule login exists already"), "{error}");
}

pub(crate) async fn a_file_keeps_the_id_of_a_renamed_rule(place: Place) {
    let catalog = place.open().await;
    catalog.edit(put(rule("login", 1))).await.unwrap();
    let step = Step::rename(name("login"), rule("sign-in", 1));
    let renamed = catalog.edit(Edit::new(dana()).step(step, Expect::Any)).await.unwrap();
    let file = set([rule("sign-in", 1)]);
    let same = catalog.apply(&file, Base::Any, dana()).await.unwrap();
    assert_eq!((same.revision, same.changed), (renamed.revision, 0));
}

pub(crate) async fn unsound_rules_are_not_written(place: Place) {
    let catalog = place.open().await;
    let step = Step::DefaultTier(name("nobody"));
    let error = catalog.edit(Edit::new(dana()).step(step, Expect::Any)).await.unwrap_err();
    assert!(matches!(error, CatalogError::Invalid(_)), "{error}");
    assert_eq!(catalog.head().await.unwrap().revision, RevisionNumber::ZERO);
}
