//! What the programs have in common: how they are found, started, waited for and ended.

use std::{
    fs,
    net::{SocketAddr, TcpStream},
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    time::Duration,
};

use tempfile::TempDir;

use crate::{deadline::poll, program};

/// Longer than any of them takes to start or to end, even on a machine with other work.
const LONG: Duration = Duration::from_secs(60);

/// A running gateway. When this is dropped the program is ended and its folder deleted; the program ends
/// with this process, too, however that ends.
#[derive(Debug)]
pub struct Gateway {
    shell: Child,
    /// `None` only while this is dropped.
    orders: Option<ChildStdin>,
    log: PathBuf,
    /// Deletes the folder it works in, unless that is somebody else's.
    own: Option<TempDir>,
    addr: SocketAddr,
}

/// Runs a program as a page of the manual does, in a folder that is there, until it takes connections at
/// `addr`.
///
/// # Panics
///
/// If it is not installed, or does not start in time: its log is told.
pub fn run(name: &str, arguments: &[&str], folder: &Path, addr: SocketAddr) -> Gateway {
    Gateway::start_in(folder, &Program::find(name, arguments), addr)
}

impl Gateway {
    /// Where its clients connect.
    pub const fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// What it has said so far.
    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Starts a program in a folder of its own.
    pub(super) fn start(program: &Program, folder: TempDir, addr: SocketAddr) -> Self {
        let mut gateway = Self::start_in(folder.path(), program, addr);
        gateway.own = Some(folder);
        gateway
    }

    /// Starts a program in a folder, and waits until it takes connections.
    fn start_in(folder: &Path, program: &Program, addr: SocketAddr) -> Self {
        let log = folder.join("log");
        let mut command = Command::new("sh");
        command
            .args(["-c", include_str!("gateway.sh"), "gateway"])
            .arg(&log)
            .arg(&program.path)
            .args(&program.arguments)
            .current_dir(folder)
            // Where programs keep what they think is worth keeping.
            .env("HOME", folder)
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_DATA_HOME")
            // What a terminal sends to our group is for us; the end of the input is for the shell.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut shell = command.spawn().expect("every machine has `sh`");
        let orders = shell.stdin.take();
        let gateway = Self { shell, orders, log, own: None, addr };
        let is_up = poll(LONG, || TcpStream::connect(addr).ok()).is_some();
        assert!(is_up, "{program:?} does not start: {}", gateway.log());
        gateway
    }
}

impl Drop for Gateway {
    /// Tests may be panicking already, so this does not.
    fn drop(&mut self) {
        drop(self.orders.take());
        let ended = poll(LONG, || self.shell.try_wait().ok().flatten());
        if ended.is_none() {
            drop(self.shell.kill());
            drop(self.shell.wait());
        }
    }
}

/// A program with what it is told.
#[derive(Debug)]
pub(super) struct Program {
    path: PathBuf,
    arguments: Vec<String>,
}

impl Program {
    /// Finds it by its name.
    pub(super) fn find(name: &str, arguments: &[&str]) -> Self {
        let path = program(name);
        let arguments = arguments.iter().map(|word| (*word).to_owned()).collect();
        Self { path, arguments }
    }
}

/// A folder with these files, deleted when it is dropped.
pub(super) fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("room for temporary files");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("room for temporary files");
    }
    folder
}
