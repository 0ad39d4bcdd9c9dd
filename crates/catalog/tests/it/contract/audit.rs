//! Who changed what.
// Proves: I5, O2

use tollgate_catalog::{
    AuditListing, AuditRow, Author, Base, Catalog, Draft, Edit, Ended, EntryAt, EntryBody,
    EntryKind, Expect, Noted, RevisionNumber, Step,
};
use tollgate_core::Clock as _;
use tollgate_rules::Tier;

use crate::common::{
    Place, dana, name, override_of,
    people::{api_key, block, digest, key_body, quota, token},
    put, remove, rule, set,
};

/// Rows oldest first, as `action kind/id`.
async fn actions(catalog: &Catalog) -> Vec<String> {
    let mut rows = rows(catalog, AuditListing::default()).await;
    rows.reverse();
    let told = rows.iter().map(|row| {
        let (kind, id) = &row.noted.object;
        format!("{} {kind}/{id}", row.noted.action)
    });
    told.collect()
}

pub(crate) async fn rows(catalog: &Catalog, listing: AuditListing) -> Vec<AuditRow> {
    catalog.audit(&listing).await.unwrap()
}

pub(crate) async fn last(catalog: &Catalog) -> Noted {
    rows(catalog, AuditListing::default()).await[0].noted.clone()
}

pub(crate) async fn every_write_to_the_rules_is_on_record(place: Place) {
    let catalog = place.open().await;
    let author = Author::new("dana")
        .acting_as("admin")
        .calling_from("10.0.0.9")
        .by_request("r-1")
        .because("credential stuffing");
    let edit = |step| Edit::new(author.clone()).step(step, Expect::Any);
    catalog.edit(edit(Step::put(rule("login", 1)))).await.unwrap();
    let row = rows(&catalog, AuditListing::default()).await.remove(0);
    assert_eq!((row.id, row.at), (1, place.clock.now().wall));
    assert_eq!(row.noted.author, author, "with role, address, request and reason");
    assert_eq!((row.noted.ended, row.noted.times), (Ended::Done, 1));
    assert_eq!(row.noted.before, None);
    assert!(row.noted.after.unwrap().contains("\"login\""));
    catalog.edit(put(rule("login", 7))).await.unwrap();
    let changed = last(&catalog).await;
    assert!(changed.before.unwrap().contains("\"priority\":1}"));
    assert!(changed.after.unwrap().contains("\"priority\":7"));
    // Equal content is no change.
    catalog.edit(put(rule("login", 7))).await.unwrap();
    let tier = Tier::new(name("gold"), 9);
    catalog.edit(edit(Step::Tier(tier.clone()))).await.unwrap();
    catalog.edit(edit(Step::DefaultTier(tier.name))).await.unwrap();
    let mut renamed = rule("login", 7);
    renamed.name = name("sign-in");
    catalog.edit(edit(Step::rename(name("login"), renamed))).await.unwrap();
    catalog.edit(remove("sign-in")).await.unwrap();
    catalog.apply(&set([rule("a", 1)]), Base::Any, dana()).await.unwrap();
    catalog.rollback(RevisionNumber::new(1).unwrap(), dana()).await.unwrap();
    assert_eq!(
        actions(&catalog).await,
        [
            "rule.create rule/login",
            "rule.update rule/login",
            "tier.create tier/gold",
            "setting.update setting/default_tier",
            "rule.update rule/sign-in",
            "rule.delete rule/sign-in",
            "setting.update setting/default_tier",
            "tier.delete tier/gold",
            "rule.create rule/a",
            "revision.rollback revision/8",
            "rule.delete rule/a",
            "rule.create rule/login",
        ]
    );
}

pub(crate) async fn every_write_to_the_overrides_is_on_record(place: Place) {
    let catalog = place.open_ruled().await;
    let id =
        catalog.put_override(override_of("login", "acme", "2x"), &dana()).await.unwrap().ids[0];
    let what = override_of("login", "acme", "5x");
    let draft = Draft { id: Some(id), what };
    catalog.put_override(draft, &dana()).await.unwrap();
    let changed = last(&catalog).await;
    assert!(changed.before.unwrap().contains("\"2x\""));
    assert!(changed.after.unwrap().contains("\"5x\""));
    catalog.remove_overrides(&[id, id], &dana()).await.unwrap();
    assert_eq!(
        actions(&catalog).await[2..],
        ["override.create override/1", "override.update override/1", "override.remove override/1",]
    );
}

pub(crate) async fn every_write_to_the_entries_is_on_record(place: Place) {
    let catalog = place.open().await;
    let put = async |at: &str, body: EntryBody| {
        let at = match at {
            "" => EntryAt::New,
            id => EntryAt::Either(id.into()),
        };
        catalog.put_entry(at, body, &dana()).await.unwrap();
    };
    let mut key = key_body("alice", 0xab);
    put("", EntryBody::ApiKey(key.clone())).await;
    key.tier = Some("gold".into());
    put("k1", EntryBody::ApiKey(key.clone())).await;
    key.former = Some((key.digest, place.clock.now().wall));
    key.digest = digest(0xcd);
    put("k1", EntryBody::ApiKey(key.clone())).await;
    key.revoked_at = Some(place.clock.now().wall);
    put("k1", EntryBody::ApiKey(key)).await;
    put("alice", quota("alice", "free")).await;
    put("alice", quota("alice", "pro")).await;
    put("", block("mallory")).await;
    put("b2", block("eve")).await;
    put("", token("ci", 0xef)).await;
    catalog.put_entries(vec![api_key("bob", 0x12)], &dana()).await.unwrap();
    let gone = [
        (EntryKind::Quota, "alice"),
        (EntryKind::Block, "b2"),
        (EntryKind::Token, "t3"),
        (EntryKind::ApiKey, "k4"),
    ];
    for (kind, id) in gone {
        catalog.remove_entry(kind, id, &dana()).await.unwrap();
    }
    assert_eq!(
        actions(&catalog).await,
        [
            "api_key.create api_key/k1",
            "api_key.update api_key/k1",
            "api_key.rotate api_key/k1",
            "api_key.revoke api_key/k1",
            "quota.put quota/alice",
            "quota.put quota/alice",
            "block.create block/b2",
            "block.update block/b2",
            "token.create token/t3",
            "api_key.create api_key/k4",
            "quota.remove quota/alice",
            "block.remove block/b2",
            "token.remove token/t3",
            "api_key.remove api_key/k4",
        ]
    );
    let all = rows(&catalog, AuditListing::default()).await;
    assert_eq!(all.iter().filter(|row| row.noted.before.is_some()).count(), 9);
    let text = format!("{all:?}");
    for secret in ["digest", "abab", "cdcd", "efef", "1212"] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
    assert!(text.contains("tgk_abcd"), "how a key begins may be seen");
}

/// Neither the program nor anybody else at the database changes what is on record.
pub(crate) async fn rows_are_only_ever_added(place: Place) {
    let catalog = place.open().await;
    catalog.edit(put(rule("login", 1))).await.unwrap();
    let before = rows(&catalog, AuditListing::default()).await;
    for sql in ["UPDATE audit SET actor = 'nobody'", "DELETE FROM audit"] {
        let error = place.try_execute(sql).await.unwrap_err();
        assert!(error.contains("rows of the audit are only ever added"), "{error}");
    }
    if place.postgres.is_some() {
        let error = place.try_execute("TRUNCATE audit").await.unwrap_err();
        assert!(error.contains("only ever added"), "{error}");
    }
    assert_eq!(rows(&catalog, AuditListing::default()).await, before);
}
