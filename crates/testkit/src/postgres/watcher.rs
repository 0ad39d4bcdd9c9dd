//! Between us and the server stands a shell that outlives us: it sees its input end when we are
//! gone, were it by SIGKILL, and takes the server and its folder with it.

use std::{
    fs,
    io::Write as _,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    str::FromStr,
};

use rustix::process::Signal;

use super::{
    account::Account,
    programs::{Programs, isolate},
    run::{LONG, SHORT},
    sql::USER,
};
use crate::{
    deadline::{poll, wait_for},
    processes::{self, Id},
};

#[derive(Debug)]
pub(super) struct Watcher {
    shell: Child,
    /// `None` only while this is dropped.
    orders: Option<ChildStdin>,
    folder: PathBuf,
    server: Option<Id>,
}

impl Watcher {
    /// Makes the data in a folder that is deleted at the end. The arguments are for the server.
    pub(super) fn new(
        folder: &Path,
        programs: &Programs,
        account: Account,
        arguments: &[&str],
    ) -> Self {
        let mut command = Command::new("sh");
        command
            .args(["-c", include_str!("watcher.sh"), "watcher"])
            .args([folder, programs.folder()])
            .arg(USER)
            .args(arguments)
            // Folders of ours may be closed to the server's user.
            .current_dir("/")
            // What a terminal sends to our group is for us; the end of the input is for the shell.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        isolate(&mut command);
        account.runs(&mut command);
        let mut shell = command.spawn().expect("every machine has `sh`");
        let orders = shell.stdin.take();
        let watcher = Self { shell, orders, folder: folder.to_owned(), server: None };
        let status: i32 = wait_for("the end of initdb", LONG, || watcher.note("initdb"));
        assert!(status == 0, "initdb failed: {}", watcher.log());
        watcher
    }

    /// Starts the server, which may not be ready yet.
    pub(super) fn start(&mut self, port: u16) -> Id {
        assert!(self.server.is_none(), "the server is running already");
        self.order(&format!("start {port}"));
        let server = wait_for("the id of the server", SHORT, || self.note("pid"));
        fs::remove_file(self.folder.join("pid")).expect("our own file");
        self.server = Some(server);
        server
    }

    /// Ends the server at once, paused or not; waits until it is gone.
    pub(super) fn stop(&mut self) {
        let server = self.server.expect("the server is running");
        self.order("stop");
        wait_for("the end of the server", SHORT, || {
            processes::state(server).is_none().then_some(())
        });
        self.server = None;
    }

    pub(super) fn server(&self) -> Option<Id> {
        self.server
    }

    /// What `initdb` or the server said last.
    pub(super) fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    /// What the shell has to say, when it is said completely.
    fn note<T: FromStr>(&self, name: &str) -> Option<T> {
        let text = fs::read_to_string(self.folder.join(name)).ok()?;
        text.strip_suffix('\n')?.parse().ok()
    }

    fn order(&mut self, words: &str) {
        let orders = self.orders.as_mut().expect("not dropped yet");
        writeln!(orders, "{words}").expect("the watcher lives as long as we do");
    }
}

impl Drop for Watcher {
    /// Tests may be panicking already, so this does not.
    fn drop(&mut self) {
        drop(self.orders.take());
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

#[cfg(test)]
mod tests {
    mod real {
        use std::panic::{AssertUnwindSafe, catch_unwind};

        use crate::postgres::{account::Account, programs::Programs, watcher::Watcher};

        fn watcher(folder: &tempfile::TempDir) -> Watcher {
            let account = Account::find();
            account.owns(folder.path());
            Watcher::new(folder.path(), &Programs::find(), account, &[])
        }

        #[test]
        fn a_watcher_without_a_server_ends_too() {
            let folder = tempfile::tempdir().unwrap();
            drop(watcher(&folder));
            assert!(!folder.path().exists());
        }

        #[test]
        fn why_initdb_failed_is_told_and_the_folder_goes() {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("data"), "in the way").unwrap();
            let made = catch_unwind(AssertUnwindSafe(|| watcher(&folder)));
            let panic = made.unwrap_err();
            let message = panic.downcast_ref::<String>().unwrap();
            assert!(message.contains("could not access directory"), "{message}");
            assert!(!folder.path().exists());
        }
    }
}
