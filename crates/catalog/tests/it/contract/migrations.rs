//! Tables and releases.

use tollgate_catalog::{
    AuditListing, Catalog, CatalogError, EntryAt, EntryKind, Listing, OverrideSeq,
};

use crate::common::{Place, at_last, dana, override_of, people, put, rule};

pub(crate) async fn two_open_at_once(place: Place) {
    let mut tasks = tokio::task::JoinSet::new();
    for at in 0..6 {
        let (url, options) = (place.url.clone(), place.options());
        tasks.spawn(async move {
            let opened = at_last(|| Catalog::open_with(&url, options.clone()));
            let catalog = opened.await.unwrap();
            let written = at_last(|| catalog.edit(put(rule(&format!("r{at}"), at))));
            written.await.unwrap();
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    let latest = place.open().await.latest().await.unwrap();
    assert_eq!((latest.number.get(), latest.set.rules.len()), (6, 6));
}

pub(crate) async fn the_next_release_may_add(place: Place) {
    let running = place.open().await;
    running.edit(put(rule("login", 1))).await.unwrap();
    place
        .execute(
            "ALTER TABLE items ADD COLUMN colour TEXT; \
             ALTER TABLE revisions ADD COLUMN ticket BIGINT DEFAULT 7; \
             CREATE TABLE budgets (id BIGINT PRIMARY KEY); \
             UPDATE schema_version SET version = 99",
        )
        .await;
    // One that runs, and one that starts.
    for catalog in [running, place.open().await] {
        let next = catalog.latest().await.unwrap().set.rules.len();
        catalog.edit(put(rule(&format!("r{next}"), 1))).await.unwrap();
        assert_eq!(catalog.latest().await.unwrap().set.rules.len(), next + 1);
    }
}

pub(crate) async fn a_release_that_cannot_be_read_is_refused(place: Place) {
    place.open().await.edit(put(rule("login", 1))).await.unwrap();
    place.execute("UPDATE schema_version SET version = 99, min_reader = 98").await;
    let error = Catalog::open_with(&place.url, place.options()).await.unwrap_err();
    assert!(matches!(error, CatalogError::NewerSchema { .. }), "{error}");
    assert_eq!(
        error.to_string(),
        "the database has schema 99, which needs a release of schema 98 or newer; this one has 3: \
         upgrade it"
    );
}

/// The tables of the release before, with rows in them.
const BEFORE: &str = include_str!("../../../migrations/0001_catalog.sql");

/// What the release before wrote stays, goes on, and what it writes beside this one is followed.
pub(crate) async fn a_database_of_the_release_before_goes_on(place: Place) {
    // Makes the file or database; then nothing but the former tables, with what this release wrote into them.
    let catalog = place.open_ruled().await;
    let over = override_of("login", "acme", "2x");
    catalog.put_override(over, &dana()).await.unwrap();
    let before = catalog.latest().await.unwrap();
    catalog.close().await;
    for table in [
        "entries",
        "audit",
        "usage_days",
        "usage_totals",
        "usage_nodes",
        "proposals",
        "settings",
        "processes",
    ] {
        place.execute(&format!("DROP TABLE {table}")).await;
        assert!(!BEFORE.contains(&format!("CREATE TABLE {table} ")), "{table} is new");
    }
    if place.postgres.is_some() {
        place.execute("DROP FUNCTION audit_is_append_only()").await;
    }
    place.execute("UPDATE schema_version SET version = 1, min_reader = 1").await;
    let catalog = place.open().await;
    assert_eq!(*catalog.latest().await.unwrap(), *before);
    assert_eq!(catalog.overrides(&Listing::default()).await.unwrap().len(), 1);
    assert_eq!(catalog.audit(&AuditListing::default()).await.unwrap(), []);
    let key = catalog.put_entry(EntryAt::New, people::api_key("alice", 1), &dana()).await.unwrap();
    assert_eq!((key.seq.get(), &*key.entry.id), (2, "k2"));
    // As the release before writes: it knows of the tables and of the numbers, not of entries.
    place
        .execute(
            "INSERT INTO override_marks (seq, mark, last_id, created_at) \
             SELECT 3, mark, 3, created_at FROM override_marks WHERE seq = 2",
        )
        .await;
    let next = catalog.put_entry(EntryAt::New, people::block("eve"), &dana()).await.unwrap();
    assert_eq!((next.seq, &*next.entry.id), (OverrideSeq::new(4).unwrap(), "b4"));
    assert!(catalog.entry(EntryKind::ApiKey, "k2").await.unwrap().is_some());
    let look = catalog.look().await.unwrap();
    assert_eq!((look.schema, look.ours), (Some(3), 3));
}
