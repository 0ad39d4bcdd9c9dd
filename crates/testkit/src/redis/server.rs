//! One server: asked, killed, paused and started again.

use std::{
    fs, io,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use rustix::process::Signal;
use tempfile::TempDir;

use super::{
    client::{Connection, Reply},
    setup::{Program, Seal, Setup},
    watcher::{SHORT, Watcher},
};
use crate::{
    deadline::{poll, wait_for},
    ports::Port,
    processes::{self, State},
};

/// Where a server keeps its data when it is told to save them.
const DUMP: &str = "dump.rdb";

/// What a server says when it is.
const READY: &str = "Ready to accept connections";

/// A Redis or Valkey server on a loopback port. When this is dropped the server is killed and its folder
/// deleted; so they are when the whole process dies.
#[derive(Debug)]
pub struct Redis {
    // Dropped in this order: the server ends before its folder, and both before another is given the port.
    pub(super) watcher: Watcher,
    pub(super) folder: TempDir,
    pub(super) port: Port,
    pub(super) password: Option<String>,
    pub(super) seal: Option<Seal>,
}

impl Redis {
    /// A `redis-server` without any settings. It takes some milliseconds.
    ///
    /// # Panics
    ///
    /// If it is not installed, or not ready in time.
    pub fn start() -> Self {
        Setup::default().start()
    }

    /// The same of a program.
    ///
    /// # Panics
    ///
    /// If it is not installed, or not ready in time.
    pub fn of(program: Program) -> Self {
        Setup::of(program).start()
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.port.address()
    }

    /// The same as clients write it, with the password if it has one.
    pub fn url(&self) -> String {
        let scheme = if self.seal.is_some() { "rediss" } else { "redis" };
        let user = self.password.as_ref();
        let user = user.map_or_else(String::new, |password| format!(":{password}@"));
        format!("{scheme}://{user}{}", self.address())
    }

    /// The file with the authority that signed its certificate, if it speaks TLS.
    ///
    /// # Panics
    ///
    /// If it does not.
    pub fn ca(&self) -> PathBuf {
        self.seal.as_ref().expect("it speaks TLS").ca.clone()
    }

    /// Asks it something.
    ///
    /// # Panics
    ///
    /// If it does not answer, or with an error.
    pub fn command(&self, words: &[impl AsRef<[u8]>]) -> String {
        match self.ask(words) {
            Reply::Error(error) => panic!("{}: {error}", spoken(words)),
            reply => reply.to_string(),
        }
    }

    /// Asks it something; errors are answers, too.
    ///
    /// # Panics
    ///
    /// If it does not answer.
    pub fn ask(&self, words: &[impl AsRef<[u8]>]) -> Reply {
        let answer = self.connect().and_then(|mut link| link.ask(words));
        answer.unwrap_or_else(|error| panic!("{} to {}: {error}", spoken(words), self.address()))
    }

    /// A connection that is logged in.
    ///
    /// # Errors
    ///
    /// If it does not take any, as when it is killed.
    pub fn connect(&self) -> io::Result<Connection> {
        let mut link = match &self.seal {
            None => Connection::open(self.address())?,
            Some(seal) => Connection::sealed(self.address(), &seal.client)?,
        };
        if let Some(password) = &self.password {
            link.ask(&["AUTH", password])?;
        }
        Ok(link)
    }

    /// Ends it at once, as a crash would.
    ///
    /// # Panics
    ///
    /// If it is killed already.
    pub fn kill(&mut self) {
        self.watcher.kill();
    }

    /// Starts it after a kill, on its port, with what [`Self::save`] wrote last.
    ///
    /// # Panics
    ///
    /// If it runs, or is not ready in time.
    pub fn start_again(&mut self) {
        self.watcher.start();
        let is_up = self.becomes_ready();
        assert!(is_up, "{} again: {}", self.address(), self.log());
    }

    /// Kills one that is [slow to load](Setup::slow_to_load), and starts it again with all that is in it. From
    /// now on it is loading, for minutes unless [`Self::end_loading`] ends that.
    ///
    /// # Panics
    ///
    /// If it takes no connections in time.
    pub fn restart_loading(&mut self) {
        self.command(&["DEBUG", "POPULATE", "10000", "ballast", "1024"]);
        self.kill_saved();
        self.watcher.start();
        wait_for("a server that takes connections", SHORT, || {
            Connection::open(self.address()).ok()
        });
    }

    /// Lets it load at full speed; returns when it has.
    ///
    /// # Panics
    ///
    /// If it does not end in time.
    pub fn end_loading(&self) {
        self.command(&["CONFIG", "SET", "key-load-delay", "0"]);
        wait_for("the end of loading", SHORT, || {
            (self.ask(&["PING"]).to_string() == "PONG").then_some(())
        });
    }

    /// Kills it and starts it again with nothing in it.
    pub fn restart(&mut self) {
        self.kill();
        drop(fs::remove_file(self.folder.path().join(DUMP)));
        self.start_again();
    }

    /// Kills it and starts it again with all that is in it.
    pub fn restart_keeping(&mut self) {
        self.kill_saved();
        self.start_again();
    }

    /// Saves, and kills. Nothing is written in between that the file would lack.
    fn kill_saved(&mut self) {
        self.command(&["CLIENT", "PAUSE", "600000", "WRITE"]);
        self.save();
        self.kill();
    }

    /// Writes what is in it to its file.
    pub fn save(&self) {
        self.command(&["SAVE"]);
    }

    /// From now on it takes connections and bytes, and answers nothing.
    pub fn pause(&self) {
        let server = self.watcher.server();
        processes::signal(server, Signal::STOP);
        wait_for("the server pauses", SHORT, || {
            (processes::state(server) != Some(State::Alive)).then_some(())
        });
    }

    /// Ends a pause.
    pub fn resume(&self) {
        processes::signal(self.watcher.server(), Signal::CONT);
    }

    /// Makes it forget every script.
    pub fn flush_scripts(&self) {
        self.command(&["SCRIPT", "FLUSH", "SYNC"]);
    }

    /// One line of `INFO`.
    ///
    /// # Panics
    ///
    /// If there is none of this name.
    pub fn info(&self, name: &str) -> String {
        let text = self.command(&["INFO", "everything"]);
        let mut pairs = text.lines().filter_map(|line| line.split_once(':'));
        let found = pairs.find(|(its, _)| *its == name);
        found.expect("a line of INFO").1.to_owned()
    }

    /// The id of its process.
    ///
    /// # Panics
    ///
    /// If it is killed.
    pub fn process_id(&self) -> u32 {
        self.watcher.server().number()
    }

    /// Holds its settings, its data and its log.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What it has said since it was started last.
    pub fn log(&self) -> String {
        self.watcher.log()
    }

    /// Whether it is neither killed nor paused.
    pub fn is_awake(&self) -> bool {
        self.watcher.is_awake()
    }

    /// Itself when it is ready; `None` if somebody else has the port.
    pub(super) fn once_up(self) -> Option<Self> {
        if self.becomes_ready() {
            return Some(self);
        }
        let log = self.log();
        let is_taken = log.contains("Address already in use");
        assert!(is_taken, "{} does not start: {log}", self.address());
        None
    }

    /// By its own word: asking the port could reach the server of somebody else.
    fn becomes_ready(&self) -> bool {
        let ready = poll(SHORT, || {
            let is_running = self.watcher.is_running();
            let is_ready = self.log().contains(READY);
            (is_ready || !is_running).then_some(is_ready)
        });
        ready == Some(true)
    }
}

fn spoken(words: &[impl AsRef<[u8]>]) -> String {
    let words = words.iter().map(|word| String::from_utf8_lossy(word.as_ref()));
    words.collect::<Vec<_>>().join(" ")
}
