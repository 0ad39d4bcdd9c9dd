//! The SQLite file: its rights, its damages, and processes that die.
// Proves: R6, R9

use std::{fs, os::unix::fs::PermissionsExt as _};

use tollgate_catalog::{Base, Catalog, CatalogError, DatabaseUrl};

use crate::common::{Place, dana, put, rule, set};

fn path(place: &Place) -> std::path::PathBuf {
    match &place.url {
        DatabaseUrl::Sqlite(path) => path.clone(),
        _ => unreachable!("these are about files"),
    }
}

#[tokio::test]
async fn only_the_owner_may_read_it() {
    let place = Place::sqlite();
    let catalog = place.open().await;
    catalog.edit(put(rule("login", 1))).await.unwrap();
    let folder = path(&place).parent().unwrap().to_owned();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let mut files = 0;
    for entry in fs::read_dir(folder).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
        files += 1;
    }
    assert!(files >= 2, "the file and its log");
}

#[tokio::test]
async fn a_file_of_something_else_is_left_alone() {
    let place = Place::sqlite();
    fs::create_dir_all(path(&place).parent().unwrap()).unwrap();
    let other = b"this is somebody's letter, not a database; ".repeat(200);
    fs::write(path(&place), &other).unwrap();
    let opened = Catalog::open_with(&place.url, place.options()).await;
    let error = opened.unwrap_err();
    assert!(matches!(error, CatalogError::Corrupt(_)), "{error}");
    assert!(error.to_string().contains("restore it from a backup"), "{error}");
    assert_eq!(fs::read(path(&place)).unwrap(), other);
}

#[tokio::test]
async fn a_damaged_file_is_an_error_and_is_not_made_worse() {
    let place = Place::sqlite();
    let catalog = place.open().await;
    let rules = set((0..400).map(|at| rule(&format!("r{at}"), at)));
    catalog.apply(&rules, Base::Any, dana()).await.unwrap();
    catalog.close().await;
    place.execute("PRAGMA wal_checkpoint(TRUNCATE)").await;
    let mut bytes = fs::read(path(&place)).unwrap();
    // Everything but the first page, which names the tables.
    for at in (4_096 + 50..bytes.len()).step_by(97) {
        bytes[at] ^= 0xff;
    }
    fs::write(path(&place), &bytes).unwrap();
    let error = async {
        let catalog = Catalog::open_with(&place.url, place.options()).await?;
        catalog.latest().await.map(drop)
    };
    let error = error.await.unwrap_err();
    assert!(!error.is_transient(), "{error}");
    assert!(matches!(error, CatalogError::Corrupt(_) | CatalogError::Unreadable { .. }), "{error}");
    assert_eq!(fs::read(path(&place)).unwrap(), bytes);
}

#[tokio::test]
async fn a_folder_that_cannot_be_made_is_named() {
    let place = Place::sqlite();
    fs::write(place.folder.path().join("data"), "in the way").unwrap();
    let opened = Catalog::open_with(&place.url, place.options()).await;
    let error = opened.unwrap_err();
    assert!(matches!(error, CatalogError::Denied(_)), "{error}");
    assert!(error.to_string().contains("data/rules.db"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn several_catalogs_of_one_file_see_each_other() {
    let place = Place::sqlite();
    let (one, other) = (place.open().await, place.open().await);
    for priority in 1..=10 {
        let writer = if priority % 2 == 0 { &one } else { &other };
        writer.edit(put(rule("login", priority))).await.unwrap();
        assert_eq!(*one.latest().await.unwrap(), *other.latest().await.unwrap());
    }
    assert_eq!(one.head().await.unwrap().revision.get(), 10);
}
