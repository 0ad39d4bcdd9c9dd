//! The pool of connections to one of the two databases.

use super::Session;
use crate::{
    CatalogError, DatabaseUrl,
    deadline::{Deadlines, within},
    postgres, sqlite,
    watch::Hints,
};

/// A database that has been opened; copies share the connections.
#[derive(Clone, Debug)]
pub(crate) struct Database {
    pool: Pool,
    deadlines: Deadlines,
}

#[derive(Clone, Debug)]
enum Pool {
    Sqlite(sqlite::Pool),
    Postgres(postgres::Pool),
}

impl Database {
    /// Connects lazily: nothing is asked of the database yet.
    pub(crate) fn new(url: &DatabaseUrl, deadlines: Deadlines) -> Result<Self, CatalogError> {
        let pool = match url {
            DatabaseUrl::Sqlite(path) => Pool::Sqlite(sqlite::Pool::new(path, deadlines)?),
            DatabaseUrl::Postgres(url) => Pool::Postgres(postgres::Pool::new(url, deadlines)?),
        };
        Ok(Self { pool, deadlines })
    }

    #[cfg(test)]
    pub(crate) const fn of_sqlite(pool: sqlite::Pool, deadlines: Deadlines) -> Self {
        Self { pool: Pool::Sqlite(pool), deadlines }
    }

    /// Reads in one transaction, so that all of it is of one moment. Nothing is changed.
    pub(crate) async fn read<T>(
        &self,
        work: impl AsyncFnOnce(&mut Session) -> Result<T, CatalogError>,
    ) -> Result<T, CatalogError> {
        within(self.deadlines.read, async {
            let mut session = self.begin(Purpose::Read).await?;
            let result = work(&mut session).await;
            // After an outage the connection is not asked for anything more.
            if !result.as_ref().is_err_and(CatalogError::is_transient) {
                session.rollback().await;
            }
            result
        })
        .await
    }

    /// Writes in one transaction, one writer at a time.
    ///
    /// An error of the work changes nothing. An error of the commit may have changed everything.
    pub(crate) async fn write<T>(
        &self,
        work: impl AsyncFnOnce(&mut Session) -> Result<(T, Outcome), CatalogError>,
    ) -> Result<T, CatalogError> {
        self.change(Purpose::Write, work).await
    }

    /// As [`Self::write`], for what needs no order among the writers: reports of nodes.
    pub(crate) async fn note<T>(
        &self,
        work: impl AsyncFnOnce(&mut Session) -> Result<(T, Outcome), CatalogError>,
    ) -> Result<T, CatalogError> {
        self.change(Purpose::Note, work).await
    }

    async fn change<T>(
        &self,
        purpose: Purpose,
        work: impl AsyncFnOnce(&mut Session) -> Result<(T, Outcome), CatalogError>,
    ) -> Result<T, CatalogError> {
        let (session, answer) = within(self.deadlines.write, async {
            let mut session = self.begin(purpose).await?;
            let result = work(&mut session).await;
            if let Ok((answer, Outcome::Commit)) = result {
                return Ok((Some(session), answer));
            }
            if !result.as_ref().is_err_and(CatalogError::is_transient) {
                session.rollback().await;
            }
            result.map(|(answer, _)| (None, answer))
        })
        .await?;
        if let Some(session) = session {
            let committed = within(self.deadlines.call, session.commit()).await;
            committed.map_err(CatalogError::of_commit)?;
        }
        Ok(answer)
    }

    /// Where news of changes come from.
    pub(crate) async fn hints(&self) -> Result<Hints, CatalogError> {
        let hints = async {
            Ok(match &self.pool {
                Pool::Sqlite(pool) => Hints::Sqlite(pool.hints().await?),
                Pool::Postgres(pool) => Hints::Postgres(pool.hints().await?),
            })
        };
        within(self.deadlines.call, hints).await
    }

    pub(crate) const fn deadlines(&self) -> Deadlines {
        self.deadlines
    }

    /// Whether the tables are there.
    pub(crate) const fn has_schema(&self) -> &'static str {
        match self.pool {
            Pool::Sqlite(_) => sqlite::HAS_SCHEMA,
            Pool::Postgres(_) => postgres::HAS_SCHEMA,
        }
    }

    /// Ends every connection.
    pub(crate) async fn close(&self) {
        let close = async {
            match &self.pool {
                Pool::Sqlite(pool) => pool.close().await,
                Pool::Postgres(pool) => pool.close().await,
            }
            Ok(())
        };
        // A database that does not say goodbye is left.
        within(self.deadlines.call, close).await.unwrap_or_default();
    }

    async fn begin(&self, purpose: Purpose) -> Result<Session, CatalogError> {
        let begin = async {
            let conn = match &self.pool {
                Pool::Sqlite(pool) => pool.acquire().await?,
                Pool::Postgres(pool) => pool.acquire().await?,
            };
            let mut session = Session::new(conn);
            let sql = match (&self.pool, purpose) {
                (Pool::Sqlite(_), Purpose::Read) => sqlite::BEGIN_READ,
                (Pool::Sqlite(_), Purpose::Write | Purpose::Note) => sqlite::BEGIN_WRITE,
                (Pool::Postgres(_), Purpose::Read) => postgres::BEGIN_READ,
                (Pool::Postgres(_), Purpose::Write) => postgres::BEGIN_WRITE,
                (Pool::Postgres(_), Purpose::Note) => postgres::BEGIN_NOTE,
            };
            session.script(sql).await?;
            Ok(session)
        };
        within(self.deadlines.call, begin).await
    }
}

/// What becomes of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Commit,
    /// Nothing was to be done.
    Undo,
}

#[derive(Clone, Copy, Debug)]
enum Purpose {
    Read,
    Write,
    Note,
}
