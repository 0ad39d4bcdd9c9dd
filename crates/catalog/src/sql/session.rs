//! One transaction on one connection.

use std::borrow::Cow;

use sqlx::{
    AssertSqlSafe, Database as Driver, Decode, Encode, Executor, IntoArguments, Postgres, Sqlite,
    Type, database::HasStatementCache, pool::PoolConnection, query::Query,
};

use super::{Row, Value, insert::Placeholders};
use crate::{CatalogError, postgres, sqlite};

/// A connection that is in a transaction. Dropped before it has ended, for whatever reason, the
/// connection is closed with it: nobody else meets a half-read answer or an open transaction.
#[derive(Debug)]
pub(crate) struct Session {
    conn: Option<Conn>,
}

#[derive(Debug)]
pub(crate) enum Conn {
    Sqlite(PoolConnection<Sqlite>),
    Postgres(PoolConnection<Postgres>),
}

/// The same in the words of each database, where they share none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Own {
    pub(crate) sqlite: &'static str,
    pub(crate) postgres: &'static str,
}

impl Session {
    pub(super) const fn new(conn: Conn) -> Self {
        Self { conn: Some(conn) }
    }

    /// Runs one statement; answers how many rows it touched.
    pub(crate) async fn execute(
        &mut self,
        sql: impl Into<Cow<'static, str>>,
        values: Vec<Value>,
    ) -> Result<u64, CatalogError> {
        match self.conn()? {
            Conn::Sqlite(conn) => {
                let done = execute::<Sqlite>(&mut **conn, sql.into(), values).await;
                Ok(done.map_err(sqlite::error)?.rows_affected())
            }
            Conn::Postgres(conn) => {
                let done = execute::<Postgres>(&mut **conn, sql.into(), values).await;
                Ok(done.map_err(postgres::error)?.rows_affected())
            }
        }
    }

    /// Runs several statements without values.
    pub(crate) async fn script(&mut self, sql: &'static str) -> Result<(), CatalogError> {
        match self.conn()? {
            Conn::Sqlite(conn) => {
                let done = sqlx::raw_sql(sql).execute(&mut **conn).await;
                done.map(drop).map_err(sqlite::error)
            }
            Conn::Postgres(conn) => {
                let done = sqlx::raw_sql(sql).execute(&mut **conn).await;
                done.map(drop).map_err(postgres::error)
            }
        }
    }

    /// Runs what is said in other words to each of the databases.
    pub(crate) async fn own_script(&mut self, own: Own) -> Result<(), CatalogError> {
        let sql = match self.conn()? {
            Conn::Sqlite(_) => own.sqlite,
            Conn::Postgres(_) => own.postgres,
        };
        self.script(sql).await
    }

    /// Every row of a query. The query bounds how many there can be.
    pub(crate) async fn rows(
        &mut self,
        sql: impl Into<Cow<'static, str>>,
        values: Vec<Value>,
    ) -> Result<Vec<Row>, CatalogError> {
        match self.conn()? {
            Conn::Sqlite(conn) => {
                rows::<Sqlite>(&mut **conn, sql.into(), values).await.map_err(sqlite::error)
            }
            Conn::Postgres(conn) => {
                rows::<Postgres>(&mut **conn, sql.into(), values).await.map_err(postgres::error)
            }
        }
    }

    /// The first row of a query.
    pub(crate) async fn row(
        &mut self,
        sql: impl Into<Cow<'static, str>>,
        values: Vec<Value>,
    ) -> Result<Option<Row>, CatalogError> {
        Ok(self.rows(sql, values).await?.into_iter().next())
    }

    /// The moment by the clock of the database, which all nodes share.
    pub(crate) async fn now(&mut self) -> Result<i64, CatalogError> {
        let sql = match self.conn()? {
            Conn::Sqlite(_) => sqlite::NOW,
            Conn::Postgres(_) => postgres::NOW,
        };
        let row = self.row(sql, Vec::new()).await?;
        row.ok_or_else(|| CatalogError::Corrupt("the database has no time".to_owned()))?.int(0)
    }

    /// Tells whoever listens; everybody else finds out by asking.
    pub(crate) async fn notify(&mut self) -> Result<(), CatalogError> {
        if let Conn::Postgres(_) = self.conn()? {
            self.execute(postgres::NOTIFY, Vec::new()).await?;
        }
        Ok(())
    }

    pub(super) const fn placeholders(&self) -> Placeholders {
        match self.conn {
            Some(Conn::Sqlite(_)) => Placeholders::Plain,
            _ => Placeholders::Numbered,
        }
    }

    /// Makes it so.
    pub(crate) async fn commit(mut self) -> Result<(), CatalogError> {
        self.script("COMMIT").await?;
        self.conn = None;
        Ok(())
    }

    /// Leaves everything as it was. Where even that fails, closing the connection does it.
    pub(crate) async fn rollback(mut self) {
        if self.script("ROLLBACK").await.is_ok() {
            self.conn = None;
        }
    }

    fn conn(&mut self) -> Result<&mut Conn, CatalogError> {
        let gone = || CatalogError::Corrupt("the transaction has ended".to_owned());
        self.conn.as_mut().ok_or_else(gone)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        match &mut self.conn {
            Some(Conn::Sqlite(conn)) => conn.close_on_drop(),
            Some(Conn::Postgres(conn)) => conn.close_on_drop(),
            None => {}
        }
    }
}

/// A statement with its values. The text is ours or made of ours; what comes from outside is a value.
fn query<'q, DB>(sql: Cow<'static, str>, values: Vec<Value>) -> Query<'q, DB, DB::Arguments>
where
    DB: Driver + HasStatementCache,
    Option<i64>: for<'t> Encode<'t, DB> + Type<DB>,
    Option<String>: for<'t> Encode<'t, DB> + Type<DB>,
{
    let is_fixed = matches!(sql, Cow::Borrowed(_));
    let mut query = sqlx::query(AssertSqlSafe(sql));
    for value in values {
        query = match value {
            Value::Int(number) => query.bind(number),
            Value::Text(text) => query.bind(text),
        };
    }
    query.persistent(is_fixed)
}

async fn execute<'c, DB>(
    conn: &'c mut DB::Connection,
    sql: Cow<'static, str>,
    values: Vec<Value>,
) -> Result<DB::QueryResult, sqlx::Error>
where
    DB: Driver + HasStatementCache,
    DB::Arguments: IntoArguments<DB>,
    &'c mut DB::Connection: Executor<'c, Database = DB>,
    Option<i64>: for<'t> Encode<'t, DB> + Type<DB>,
    Option<String>: for<'t> Encode<'t, DB> + Type<DB>,
{
    query::<DB>(sql, values).execute(conn).await
}

async fn rows<'c, DB>(
    conn: &'c mut DB::Connection,
    sql: Cow<'static, str>,
    values: Vec<Value>,
) -> Result<Vec<Row>, sqlx::Error>
where
    DB: Driver + HasStatementCache,
    DB::Arguments: IntoArguments<DB>,
    &'c mut DB::Connection: Executor<'c, Database = DB>,
    usize: sqlx::ColumnIndex<DB::Row>,
    Option<i64>: for<'t> Encode<'t, DB> + for<'r> Decode<'r, DB> + Type<DB>,
    Option<String>: for<'t> Encode<'t, DB> + for<'r> Decode<'r, DB> + Type<DB>,
{
    let rows = query::<DB>(sql, values).fetch_all(conn).await?;
    rows.iter().map(Row::read).collect()
}
