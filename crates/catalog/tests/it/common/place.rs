//! A database for one test.

use std::path::Path;

use tempfile::TempDir;
use tollgate_catalog::{Catalog, DatabaseUrl, Options};
use tollgate_core::ManualClock;
use tollgate_testkit::postgres::{Database, Postgres};

use super::words::{SOON, put, rule};

/// A database for one test.
pub(crate) struct Place {
    pub(crate) url: DatabaseUrl,
    pub(crate) clock: ManualClock,
    pub(crate) folder: TempDir,
    pub(crate) postgres: Option<Database>,
}

impl Place {
    pub(crate) fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = DatabaseUrl::file(folder.path().join("data/rules.db"));
        Self { url, clock: ManualClock::start(), folder, postgres: None }
    }

    pub(crate) fn postgres() -> Self {
        let database = Postgres::shared().database("catalog");
        Self::at(database)
    }

    pub(crate) fn at(database: Database) -> Self {
        Self {
            url: database.url().parse().unwrap(),
            clock: ManualClock::start(),
            folder: tempfile::tempdir().unwrap(),
            postgres: Some(database),
        }
    }

    /// With more time for an answer than a machine stalls.
    pub(crate) fn options(&self) -> Options {
        Options::default().clock(self.clock.clone()).call_max(SOON)
    }

    pub(crate) async fn open(&self) -> Catalog {
        Catalog::open_with(&self.url, self.options()).await.unwrap()
    }

    /// With rules for overrides to be about.
    pub(crate) async fn open_ruled(&self) -> Catalog {
        let catalog = self.open().await;
        for text in ["login", "search"] {
            catalog.edit(put(rule(text, 0))).await.unwrap();
        }
        catalog
    }

    /// Statements past the catalog.
    pub(crate) async fn execute(&self, sql: &str) {
        self.try_execute(sql).await.unwrap();
    }

    /// Statements past the catalog, which the database may refuse.
    pub(crate) async fn try_execute(&self, sql: &str) -> Result<(), String> {
        match (&self.url, &self.postgres) {
            (DatabaseUrl::Sqlite(path), _) => {
                let sql = sqlx::AssertSqlSafe(sql.to_owned());
                let done = sqlx::raw_sql(sql).execute(&mut file(path).await).await;
                done.map(drop).map_err(|error| error.to_string())
            }
            (_, Some(database)) => {
                let done = database.try_execute(sql, SOON);
                done.map(drop).map_err(|error| error.to_string())
            }
            _ => panic!("no database"),
        }
    }

    /// How many rows a table has.
    pub(crate) async fn count(&self, table: &str) -> i64 {
        let sql = format!("SELECT count(*) FROM {table}");
        match (&self.url, &self.postgres) {
            (DatabaseUrl::Sqlite(path), _) => {
                let count = sqlx::query_scalar(sqlx::AssertSqlSafe(sql));
                count.fetch_one(&mut file(path).await).await.unwrap()
            }
            (_, Some(database)) => database.execute(&sql).trim().parse().unwrap(),
            _ => panic!("no database"),
        }
    }
}

async fn file(path: &Path) -> sqlx::SqliteConnection {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path);
    sqlx::ConnectOptions::connect(&options).await.unwrap()
}

impl Place {
    /// Sets the database back to a revision, as an older backup would.
    pub(crate) async fn forget_revisions_after(&self, number: u64) {
        let in_force = i64::MAX;
        self.execute(&format!(
            "DELETE FROM items WHERE from_revision > {number}; \
             UPDATE items SET to_revision = {in_force} WHERE to_revision > {number}; \
             DELETE FROM revisions WHERE number > {number}; DELETE FROM nodes"
        ))
        .await;
    }
}
