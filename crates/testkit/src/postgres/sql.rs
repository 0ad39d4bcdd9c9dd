//! SQL through `psql`, so that the kit needs no library for it.

use std::{fmt, net::SocketAddr, process::Output, time::Duration};

use super::{
    programs::Programs,
    run::{Overdue, SHORT, run},
};

/// The user that owns everything in the server.
pub(super) const USER: &str = "tollgate";

/// A way into one server.
#[derive(Debug, Clone)]
pub(super) struct Client {
    pub(super) programs: Programs,
    pub(super) addr: SocketAddr,
}

impl Client {
    pub(super) fn url(&self, database: &str) -> String {
        url(self.addr, database)
    }

    /// Each statement is a transaction of its own unless `sql` says otherwise.
    pub(super) fn try_execute(
        &self,
        database: &str,
        sql: &str,
        deadline: Duration,
    ) -> Result<String, SqlError> {
        let mut psql = self.programs.command("psql");
        psql.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"])
            .args(["--set", "ON_ERROR_STOP=1", "--dbname"])
            .arg(self.url(database));
        answer(run(&mut psql, Some(sql.as_bytes()), deadline), deadline)
    }

    pub(super) fn execute(&self, database: &str, sql: &str) -> String {
        self.try_execute(database, sql, SHORT)
            .unwrap_or_else(|error| panic!("{error}, asked for: {sql}"))
    }

    /// Ends connections, and waits until they have ended; `scope` is a condition on
    /// `pg_stat_activity`.
    pub(super) fn kill(&self, scope: &str, connections: Connections<'_>) -> usize {
        let whose = match connections {
            Connections::All => String::new(),
            Connections::OfApplication(name) => {
                format!("and application_name = {}", literal(name))
            }
        };
        let sql = format!(
            "select count(*) filter (where pg_terminate_backend(pid, 30000)) \
             from pg_stat_activity where backend_type = 'client backend' \
             and pid <> pg_backend_pid() and {scope} {whose}"
        );
        let count = self.execute(super::server::MAINTENANCE, &sql);
        count.parse().expect("a count is a number")
    }
}

pub(super) fn url(addr: SocketAddr, database: &str) -> String {
    format!("postgresql://{USER}@{addr}/{database}")
}

pub(super) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

pub(super) fn answer(
    output: Result<Output, Overdue>,
    deadline: Duration,
) -> Result<String, SqlError> {
    let output = output.map_err(|Overdue| SqlError::Overdue(deadline))?;
    let text = |bytes| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() {
        Ok(text(&output.stdout))
    } else {
        Err(SqlError::Refused(text(&output.stderr)))
    }
}

/// Whose connections are meant.
#[derive(Debug, Clone, Copy)]
pub enum Connections<'a> {
    /// Everybody's.
    All,
    /// Those that gave this `application_name`.
    OfApplication(&'a str),
}

/// Why there is no answer to a statement.
#[derive(Debug)]
pub enum SqlError {
    /// No connection, or a statement that failed, in the words of `psql`.
    Refused(String),
    /// No answer within this time. The server may still be working on it.
    Overdue(Duration),
}

impl fmt::Display for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(message) => write!(f, "PostgreSQL refused: {message}"),
            Self::Overdue(deadline) => write!(f, "PostgreSQL did not answer within {deadline:?}"),
        }
    }
}

impl std::error::Error for SqlError {}
