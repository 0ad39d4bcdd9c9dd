//! Short words for what the catalog's tests do.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    reason = "each test file uses a part of it; to panic is how a failed test speaks"
)]

pub(crate) mod node;

use std::{sync::Arc, time::Duration};

use tempfile::TempDir;
use tollgate_catalog::{Author, Catalog, DatabaseUrl, Edit, Expect, Options, Step};
use tollgate_core::ManualClock;
use tollgate_rules::{Change, Field, Key, Name, Override, Rule, RuleSet};
use tollgate_testkit::postgres::{Database, Postgres};

/// Whatever the tests wait for comes within this, or not at all.
pub(crate) const SOON: Duration = Duration::from_secs(20);

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
        Self {
            url,
            clock: ManualClock::start(),
            folder,
            postgres: None,
        }
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

    pub(crate) fn options(&self) -> Options {
        Options::default().clock(self.clock.clone())
    }

    pub(crate) async fn open(&self) -> Catalog {
        Catalog::open_with(&self.url, self.options()).await.unwrap()
    }

    /// Statements past the catalog.
    pub(crate) async fn execute(&self, sql: &str) {
        match (&self.url, &self.postgres) {
            (DatabaseUrl::Sqlite(path), _) => {
                let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path);
                let mut conn = sqlx::ConnectOptions::connect(&options).await.unwrap();
                let sql = sqlx::AssertSqlSafe(sql.to_owned());
                sqlx::raw_sql(sql).execute(&mut conn).await.unwrap();
            }
            (_, Some(database)) => {
                database.execute(sql);
            }
            _ => panic!("no database"),
        }
    }
}

pub(crate) fn name(text: &str) -> Name {
    text.parse().unwrap()
}

/// A throttle by user that can be told from others of its name by its priority.
pub(crate) fn rule(text: &str, priority: i32) -> Rule {
    let key = Key::new([Field::User.into()]).unwrap();
    let mut rule = Rule::throttle(name(text), key, "5/min".parse().unwrap());
    rule.priority = priority;
    rule
}

pub(crate) fn set(rules: impl IntoIterator<Item = Rule>) -> Arc<RuleSet> {
    let mut set = RuleSet::default();
    set.rules = rules
        .into_iter()
        .map(|rule| (rule.name.clone(), Arc::new(rule)))
        .collect();
    Arc::new(set)
}

pub(crate) fn dana() -> Author {
    Author::new("dana").because("a test")
}

/// Puts one rule, whatever is there.
pub(crate) fn put(rule: Rule) -> Edit {
    Edit::new(dana()).step(Step::put(rule), Expect::Any)
}

pub(crate) fn remove(text: &str) -> Edit {
    Edit::new(dana()).step(Step::remove(name(text)), Expect::Any)
}

pub(crate) fn override_of(rule: &str, user: &str, factor: &str) -> Override {
    let mut entry = Override::new(Some(name(rule)));
    entry.key.insert(Field::User, user.into());
    entry.change = Change::Factor(factor.parse().unwrap());
    entry
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
