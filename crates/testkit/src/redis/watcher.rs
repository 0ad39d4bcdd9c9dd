//! Between us and the server stands a shell that outlives us: it sees its input end when we are gone, were it
//! by SIGKILL, and takes the server and its folder with it.

use std::{
    fs,
    io::Write as _,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    time::Duration,
};

use rustix::process::Signal;

use crate::{
    deadline::{poll, wait_for},
    processes::{self, Id, State},
};

/// For what is done in milliseconds, on a machine with other work.
pub(super) const SHORT: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(super) struct Watcher {
    shell: Child,
    /// `None` only while this is dropped.
    orders: Option<ChildStdin>,
    folder: PathBuf,
    server: Option<Id>,
}

impl Watcher {
    /// Of a server that is run by the `redis.conf` of this folder, which is deleted at the end.
    pub(super) fn new(folder: &Path, program: &Path) -> Self {
        let mut command = Command::new("sh");
        command
            .args(["-c", include_str!("watcher.sh"), "watcher"])
            .args([folder, program])
            .current_dir("/")
            // What a terminal sends to our group is for us; the end of the input is for the shell.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut shell = command.spawn().expect("every machine has `sh`");
        let orders = shell.stdin.take();
        Self { shell, orders, folder: folder.to_owned(), server: None }
    }

    /// Starts the server, which may not be ready yet.
    pub(super) fn start(&mut self) {
        assert!(self.server.is_none(), "the server is running already");
        // Of the server before: neither its words nor its id are those of the next.
        drop(fs::remove_file(self.folder.join("log")));
        drop(fs::remove_file(self.folder.join("pid")));
        self.order("start");
        let id = || {
            let text = fs::read_to_string(self.folder.join("pid")).ok()?;
            text.strip_suffix('\n')?.parse().ok()
        };
        self.server = Some(wait_for("the id of the server", SHORT, id));
    }

    /// Ends the server at once, paused or not; waits until it is gone.
    pub(super) fn kill(&mut self) {
        let server = self.server();
        self.order("kill");
        wait_for("the end of the server", SHORT, || {
            processes::state(server).is_none().then_some(())
        });
        self.server = None;
    }

    /// The server that was started last and not killed.
    pub(super) fn server(&self) -> Id {
        self.server.expect("the server is running")
    }

    /// Whether it was started, and killed neither by us nor by itself.
    pub(super) fn is_running(&self) -> bool {
        let state = self.server.and_then(processes::state);
        matches!(state, Some(State::Alive | State::Paused))
    }

    /// Whether it would answer.
    pub(super) fn is_awake(&self) -> bool {
        self.server.and_then(processes::state) == Some(State::Alive)
    }

    /// Ends the server and deletes its folder, without waiting for it.
    pub(super) fn release(&mut self) {
        drop(self.orders.take());
    }

    /// What the server has said since it was started last.
    pub(super) fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    fn order(&mut self, word: &str) {
        let orders = self.orders.as_mut().expect("not dropped yet");
        writeln!(orders, "{word}").expect("the watcher lives as long as we do");
    }
}

impl Drop for Watcher {
    /// Tests may be panicking already, so this does not.
    fn drop(&mut self) {
        self.release();
        let ended = poll(SHORT, || self.shell.try_wait().ok().flatten());
        if ended.is_none() {
            for server in processes::children(Id::of(&self.shell)) {
                processes::signal(server, Signal::KILL);
            }
            drop(self.shell.kill());
            drop(self.shell.wait());
        }
    }
}
