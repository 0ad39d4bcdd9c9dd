//! A full disk changes nothing.
// Proves: R6

use std::{sync::Arc, time::Duration};

use tollgate_core::{Clock, ManualClock};
use tollgate_rules::{Action, Rule, RuleSet};

use super::{Pool, file, pool::options};
use crate::{
    Author, Base, Catalog, CatalogError, DatabaseUrl, Options, deadline::Deadlines, sql::Database,
};

/// Room for the tables and a few hundred rules.
const PAGES: &str = "200";
/// Longer than a machine with other work takes for an answer.
const LONG: Duration = Duration::from_secs(60);

fn set(rules: usize) -> Arc<RuleSet> {
    let mut set = RuleSet::default();
    for at in 0..rules {
        let mut rule = Rule::new(format!("r{at}").parse().unwrap(), Action::Block);
        rule.matches.users = vec![format!("user-{at}").into()];
        set.rules.insert(rule.name.clone(), Arc::new(rule));
    }
    Arc::new(set)
}

#[tokio::test]
async fn a_full_disk_is_an_error_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rules.db");
    file::prepare(&path).unwrap();
    let deadlines = Deadlines::scaled(LONG);
    let small = options(&path, deadlines).pragma("max_page_count", PAGES);
    let database = Database::of_sqlite(Pool::with(small, deadlines), deadlines);
    let clock: Arc<dyn Clock> = Arc::new(ManualClock::start());
    let catalog = Catalog::over(database, clock, DatabaseUrl::file(&path));
    catalog.ready().await.unwrap();
    let fits = catalog.apply(&set(50), Base::Any, Author::new("dana")).await.unwrap();
    let error = catalog.apply(&set(5_000), Base::Any, Author::new("dana")).await.unwrap_err();
    assert!(matches!(error, CatalogError::Full(_)), "{error}");
    assert!(error.to_string().contains("no room left"), "{error}");
    let head = catalog.head().await.unwrap();
    assert_eq!((head.revision, head.hash), (fits.revision, fits.hash));
    let url = DatabaseUrl::file(&path);
    let patient = Options::default().call_max(LONG);
    let reopened = Catalog::open_with(&url, patient).await.unwrap();
    assert_eq!(reopened.latest().await.unwrap().set, set(50));
    // What fits is written as before.
    let next = catalog.apply(&set(40), Base::Any, Author::new("dana")).await.unwrap();
    assert_eq!(next.revision.get(), fits.revision.get() + 1);
}
