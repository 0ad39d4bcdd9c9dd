//! Tables that grow with the releases, while older releases go on.
//!
//! A migration only adds (expand); what nobody reads any more is removed releases later (contract), and
//! only then `min_reader` rises. So the release before this one works beside it.

use crate::{
    CatalogError,
    sql::{Database, Outcome, Own, Session, values},
};

/// One step of the tables.
#[derive(Debug)]
struct Migration {
    version: i64,
    /// The oldest release, by its schema, that still works with the tables after this.
    min_reader: i64,
    /// In the words that the databases share.
    sql: &'static str,
    /// What only one of them understands.
    own: Option<Own>,
}

const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 1,
        min_reader: 1,
        sql: include_str!("../../migrations/0001_catalog.sql"),
        own: None,
    },
    Migration {
        version: 2,
        min_reader: 1,
        sql: include_str!("../../migrations/0002_identity.sql"),
        own: Some(Own {
            sqlite: include_str!("../../migrations/0002_append_only.sqlite.sql"),
            postgres: include_str!("../../migrations/0002_append_only.postgres.sql"),
        }),
    },
    Migration {
        version: 3,
        min_reader: 1,
        sql: include_str!("../../migrations/0003_processes.sql"),
        own: None,
    },
];

/// The schema that this release knows.
pub(super) const OURS: i64 = 3;

/// What the database has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schema {
    pub(super) version: i64,
    min_reader: i64,
}

/// Brings the tables up to this release, if they are older. Newer ones are left alone.
pub(super) async fn run(database: &Database) -> Result<(), CatalogError> {
    let has_schema = database.has_schema();
    // A look first: most of the time there is nothing to do, and nothing is locked.
    let found = database.read(async |session| schema(session, has_schema).await).await?;
    // None: PostgreSQL shows a table before its rows to whoever began to read before it was made.
    if let Some(found) = found
        && found.version >= OURS
    {
        return is_readable(found);
    }
    let migrate = async |session: &mut Session| {
        // Somebody else may have been faster.
        let found = schema(session, has_schema).await?;
        let empty = || CatalogError::Corrupt("schema_version is empty".to_owned());
        let found = found.ok_or_else(empty)?;
        is_readable(found)?;
        for migration in MIGRATIONS.iter().filter(|due| due.version > found.version) {
            session.script(migration.sql).await?;
            if let Some(own) = migration.own {
                session.own_script(own).await?;
            }
            let sql = "UPDATE schema_version SET version = $1, min_reader = $2";
            let values = values![migration.version, migration.min_reader];
            session.execute(sql, values).await?;
        }
        Ok(((), Outcome::Commit))
    };
    database.write(migrate).await
}

/// What the database has; none if there is a table that does not say.
pub(super) async fn schema(
    session: &mut Session,
    has_schema: &'static str,
) -> Result<Option<Schema>, CatalogError> {
    let found = session.row(has_schema, Vec::new()).await?;
    if found.map_or(Ok(0), |row| row.int(0))? == 0 {
        return Ok(Some(Schema { version: 0, min_reader: 0 }));
    }
    let sql = "SELECT version, min_reader FROM schema_version";
    let Some(row) = session.row(sql, Vec::new()).await? else {
        return Ok(None);
    };
    Ok(Some(Schema { version: row.int(0)?, min_reader: row.int(1)? }))
}

pub(super) const fn is_readable(schema: Schema) -> Result<(), CatalogError> {
    if schema.min_reader > OURS {
        return Err(CatalogError::NewerSchema {
            database: schema.version,
            min_reader: schema.min_reader,
            ours: OURS,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{MIGRATIONS, OURS};

    #[test]
    fn migrations_are_numbered_and_let_the_release_before_run_on() {
        for (at, migration) in (1..).zip(MIGRATIONS) {
            assert_eq!(migration.version, at);
            assert!(migration.min_reader <= migration.version);
            assert!(at == 1 || migration.min_reader < migration.version);
        }
        assert_eq!(MIGRATIONS.last().map(|last| last.version), Some(OURS));
    }
}
