//! Tables and releases.

use tollgate_catalog::{Catalog, CatalogError};

use crate::common::{Place, put, rule};

pub(crate) async fn two_open_at_once(place: Place) {
    let mut tasks = tokio::task::JoinSet::new();
    for at in 0..6 {
        let (url, options) = (place.url.clone(), place.options());
        tasks.spawn(async move {
            let catalog = Catalog::open_with(&url, options).await.unwrap();
            catalog
                .edit(put(rule(&format!("r{at}"), at)))
                .await
                .unwrap();
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
        catalog
            .edit(put(rule(&format!("r{next}"), 1)))
            .await
            .unwrap();
        assert_eq!(catalog.latest().await.unwrap().set.rules.len(), next + 1);
    }
}

pub(crate) async fn a_release_that_cannot_be_read_is_refused(place: Place) {
    place
        .open()
        .await
        .edit(put(rule("login", 1)))
        .await
        .unwrap();
    place
        .execute("UPDATE schema_version SET version = 99, min_reader = 98")
        .await;
    let error = Catalog::open_with(&place.url, place.options())
        .await
        .unwrap_err();
    assert!(matches!(error, CatalogError::NewerSchema { .. }), "{error}");
    assert_eq!(
        error.to_string(),
        "the database has schema 99, which needs a release of schema 98 or newer; this one has 2: \
         upgrade it"
    );
}
