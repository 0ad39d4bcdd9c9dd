//! One database in a server: what a test usually needs.

use std::{
    net::SocketAddr,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Duration,
};

use super::{
    run::{LONG, run},
    server::MAINTENANCE,
    sql::{self, Client, Connections, SqlError, answer, literal},
};

/// PostgreSQL cuts names at 63 bytes; the rest is for the number.
const PREFIX_BYTES_MAX: usize = 40;

/// A database of its own, empty at first. It stays as long as its server does.
#[derive(Debug, Clone)]
pub struct Database {
    client: Client,
    name: String,
    url: String,
}

impl Database {
    pub(super) fn create(client: &Client, prefix: &str) -> Self {
        let is_plain =
            |sign: u8| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == b'_';
        assert!(
            prefix.bytes().all(is_plain) && prefix.len() <= PREFIX_BYTES_MAX,
            "a prefix is at most {PREFIX_BYTES_MAX} of `a-z`, `0-9` and `_`, not {prefix:?}"
        );
        let name = create(client, prefix);
        Self { url: client.url(&name), client: client.clone(), name }
    }

    /// `postgresql://user@127.0.0.1:port/name`; no password.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The same database through another address: that of a proxy.
    pub fn url_at(&self, addr: SocketAddr) -> String {
        sql::url(addr, &self.name)
    }

    /// Its name in the server.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Runs statements; returns what they select, a line per row, `|` between columns.
    ///
    /// # Panics
    ///
    /// If one fails, or there is no answer in a minute.
    pub fn execute(&self, sql: &str) -> String {
        self.client.execute(&self.name, sql)
    }

    /// As [`Self::execute`], for statements that may fail.
    ///
    /// # Errors
    ///
    /// If there is no connection, if a statement fails, or if the deadline passes.
    pub fn try_execute(&self, sql: &str, deadline: Duration) -> Result<String, SqlError> {
        self.client.try_execute(&self.name, sql, deadline)
    }

    /// Ends connections to this database; says how many there were.
    pub fn kill_connections(&self, connections: Connections<'_>) -> usize {
        let scope = format!("datname = {}", literal(&self.name));
        self.client.kill(&scope, connections)
    }

    /// A backup of everything in it.
    pub fn dump(&self) -> Dump {
        let mut pg_dump = self.client.programs.command("pg_dump");
        pg_dump.args(["--dbname", &self.url]);
        let sql = answer(run(&mut pg_dump, None, LONG), LONG);
        Dump(sql.unwrap_or_else(|error| panic!("{error}, asked for a dump")))
    }

    /// Puts a backup in its place: everything written since is lost, and so are all connections.
    /// Clients find the name missing for a moment, but never a database that is half restored.
    pub fn restore(&self, Dump(sql): &Dump) {
        let (client, name) = (&self.client, &self.name);
        let fresh = create(client, "restored");
        client
            .try_execute(&fresh, sql, LONG)
            .unwrap_or_else(|error| panic!("{error}, asked to restore"));
        client.execute(
            MAINTENANCE,
            &format!(
                "drop database \"{name}\" with (force); alter database \"{fresh}\" rename to \"{name}\""
            ),
        );
    }
}

/// What a database contained, as SQL.
#[derive(Debug, Clone)]
pub struct Dump(String);

/// Makes a database of a name that was never used; other processes have other servers.
fn create(client: &Client, prefix: &str) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let name = format!("{prefix}_{}", NEXT.fetch_add(1, Relaxed));
    // To copy the template's files takes half as long as to log each of its pages.
    let sql = format!("create database \"{name}\" strategy file_copy");
    client.execute(MAINTENANCE, &sql);
    name
}
