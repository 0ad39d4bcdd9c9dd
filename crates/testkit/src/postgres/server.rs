//! The server itself: made, started, and disturbed.

use std::{fs, net::SocketAddr, path::Path, sync::OnceLock};

use tempfile::TempDir;

use super::{
    account::Account,
    database::Database,
    folder::folder,
    programs::Programs,
    run::SHORT,
    sql::{Client, Connections},
    watcher::Watcher,
};
use crate::{
    deadline::poll,
    ports::{Port, ports},
    processes::{self, Id, State},
};

/// The database that is always there.
pub(super) const MAINTENANCE: &str = "postgres";

#[rustfmt::skip]
const ARGUMENTS: &[&str] = &[
    "-c", "listen_addresses=127.0.0.1",
    "-c", "unix_socket_directories=",
    "-c", "max_connections=200",
    "-c", "shared_buffers=16MB",
    "-c", "max_wal_size=128MB",
    // Processes die in these tests, machines do not: what was committed survives all the same.
    "-c", "fsync=off",
];

/// A PostgreSQL server on a loopback port, with a data folder of its own. When this is dropped,
/// the server is stopped and the folder deleted; so they are when the whole process dies.
#[derive(Debug)]
pub struct Postgres {
    // Dropped in this order: the server ends before its folder, and both before another is given the port.
    watcher: Watcher,
    folder: TempDir,
    client: Client,
    _port: Port,
}

impl Postgres {
    /// A server of one's own, to stop and to pause. It takes about a second.
    ///
    /// # Panics
    ///
    /// If PostgreSQL is not installed, or not ready in time.
    pub fn start() -> Self {
        let programs = Programs::find();
        let account = Account::find();
        let folder = folder();
        account.owns(folder.path());
        let mut watcher = Watcher::new(folder.path(), &programs, account, ARGUMENTS);
        let port = ports()
            .find(|port| is_up(&mut watcher, folder.path(), port.number()))
            .expect("one of many ports is free");
        let addr = port.address();
        Self { watcher, folder, client: Client { programs, addr }, _port: port }
    }

    /// The server that the tests of this process share; the first who asks waits for its start.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Postgres> = OnceLock::new();
        SHARED.get_or_init(Self::start)
    }

    /// Stops the server at once, as a crash would: what was not committed is lost.
    ///
    /// # Panics
    ///
    /// If it is stopped already.
    pub fn stop(&mut self) {
        self.watcher.stop();
    }

    /// Starts it again after a stop, with its data and on its port.
    ///
    /// # Panics
    ///
    /// If it runs, or is not ready within a minute.
    pub fn start_again(&mut self) {
        let port = self.client.addr.port();
        let is_up = is_up(&mut self.watcher, self.folder.path(), port);
        assert!(is_up, "somebody took port {port} meanwhile");
    }

    /// From now on the server takes connections and bytes, and answers nothing.
    pub fn pause(&mut self) {
        processes::pause(self.id());
    }

    /// Ends a pause.
    pub fn resume(&mut self) {
        processes::resume(self.id());
    }

    /// Ends connections to any of its databases; says how many there were.
    pub fn kill_connections(&mut self, connections: Connections<'_>) -> usize {
        self.client.kill("true", connections)
    }

    /// A new, empty database; its name begins with the prefix.
    pub fn database(&self, prefix: &str) -> Database {
        Database::create(&self.client, prefix)
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.client.addr
    }

    /// The id of its main process, the parent of all the others.
    ///
    /// # Panics
    ///
    /// If it is stopped.
    pub fn process_id(&self) -> u32 {
        self.id().number()
    }

    /// Holds its data and its log.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn id(&self) -> Id {
        self.watcher.server().expect("the server is running")
    }
}

/// Whether the server is ready on this port; `false` if somebody else has it.
fn is_up(watcher: &mut Watcher, folder: &Path, port: u16) -> bool {
    let server = watcher.start(port);
    let is_up = poll(SHORT, || match processes::state(server) {
        Some(State::Alive | State::Paused) => is_ready(folder, server).then_some(true),
        Some(State::Dead) | None => Some(false),
    });
    if is_up == Some(true) {
        return true;
    }
    let log = watcher.log();
    let is_taken = is_up.is_some() && log.contains("Address already in use");
    assert!(is_taken, "PostgreSQL does not start: {log}");
    watcher.stop();
    false
}

/// What `pg_ctl` looks at, too: asking the port could reach the server of somebody else.
fn is_ready(folder: &Path, server: Id) -> bool {
    let text = fs::read_to_string(folder.join("data/postmaster.pid")).unwrap_or_default();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let is_ours = lines.first().and_then(|line| line.parse().ok()) == Some(server);
    is_ours && lines.get(7) == Some(&"ready")
}
