//! A server that was started from the desk.

use std::{
    io::{BufReader, Read as _},
    net::SocketAddr,
    process::{Child, ChildStdout, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex},
    thread::JoinHandle,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::{Desk, desk::PROGRAM, http::Http};

/// A running `tollgate serve`; it is killed when this is dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) http: SocketAddr,
    pub(crate) grpc: SocketAddr,
    pub(crate) resp: SocketAddr,
    pub(crate) admin: SocketAddr,
    /// What it told at its start.
    pub(crate) announcement: Value,
    log: Arc<Mutex<String>>,
    reading: Option<JoinHandle<()>>,
}

/// Longer than any test waits that goes well.
pub(crate) const LONG: Duration = Duration::from_secs(30);

impl Desk {
    /// Starts a server on free ports in this folder; `words` are more flags.
    #[track_caller]
    pub(crate) fn serve(&self, words: &[&str]) -> Server {
        self.serve_by(self.command(&["serve", "--json"]), words)
    }

    /// The same with no more open files than this.
    #[track_caller]
    pub(crate) fn serve_with_files(&self, files: u32, words: &[&str]) -> Server {
        let mut shell = self.command_of("sh");
        let script = format!("ulimit -n {files} && exec \"$0\" \"$@\"");
        shell.args(["-c", &script, PROGRAM, "serve", "--json"]);
        self.serve_by(shell, words)
    }

    #[track_caller]
    fn serve_by(&self, mut command: Command, words: &[&str]) -> Server {
        for flag in ["--http", "--grpc", "--resp", "--admin"] {
            if !words.contains(&flag) {
                command.args([flag, "127.0.0.1:0"]);
            }
        }
        command.args(words);
        Server::start(command)
    }
}

impl Server {
    /// Starts what the command says, which announces itself in JSON.
    #[track_caller]
    pub(crate) fn start(mut command: Command) -> Self {
        command.stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let log = Arc::new(Mutex::new(String::new()));
        let mut errors = child.stderr.take().unwrap();
        let reading = std::thread::spawn({
            let log = Arc::clone(&log);
            move || {
                let mut piece = [0; 4096];
                while let Ok(read @ 1..) = errors.read(&mut piece) {
                    let text = String::from_utf8_lossy(&piece[..read]).into_owned();
                    log.lock().unwrap().push_str(&text);
                }
            }
        });
        let out = child.stdout.take().unwrap();
        let Some(announcement) = first_json(out) else {
            let status = child.wait().unwrap();
            reading.join().unwrap();
            panic!("no server, {status}: {}", log.lock().unwrap());
        };
        let address = |name: &str| announcement[name].as_str().unwrap().parse().unwrap();
        Self {
            http: address("http"),
            grpc: address("grpc"),
            resp: address("resp"),
            admin: address("admin"),
            announcement,
            child,
            log,
            reading: Some(reading),
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks the decision listener.
    pub(crate) fn decisions(&self) -> Http {
        Http::to(self.http)
    }

    /// Asks the admin listener.
    pub(crate) fn administration(&self) -> Http {
        Http::to(self.admin)
    }

    /// What it has logged so far.
    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.child.id()).unwrap();
        kill_process(Pid::from_raw(id).unwrap(), signal).unwrap();
    }

    /// Hangs it: from when this returns none of its threads runs.
    pub(crate) fn pause(&self) {
        self.signal(Signal::STOP);
        let tasks = format!("/proc/{}/task", self.child.id());
        let is_stopped = |task: std::io::Result<std::fs::DirEntry>| {
            let Ok(stat) = std::fs::read_to_string(task.unwrap().path().join("stat")) else {
                // A thread that has ended meanwhile does not run either.
                return true;
            };
            let (_, rest) = stat.rsplit_once(") ").unwrap();
            rest.starts_with('T')
        };
        tollgate_testkit::wait_for("a server that hangs", LONG, || {
            let mut all = std::fs::read_dir(&tasks).unwrap();
            all.all(is_stopped).then_some(())
        });
    }

    /// Resident memory, in bytes.
    pub(crate) fn resident(&self) -> u64 {
        let path = format!("/proc/{}/statm", self.child.id());
        let text = std::fs::read_to_string(path).unwrap();
        let pages: u64 = text.split_whitespace().nth(1).unwrap().parse().unwrap();
        pages * 4096
    }

    /// Asks it to stop, and waits until it has.
    pub(crate) fn stop(mut self) -> (ExitStatus, String) {
        self.signal(Signal::TERM);
        let status = self.child.wait().unwrap();
        self.reading.take().unwrap().join().unwrap();
        (status, self.log())
    }

    /// Ends it without a word.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn first_json(out: ChildStdout) -> Option<Value> {
    let read = serde_json::Deserializer::from_reader(BufReader::new(out));
    read.into_iter::<Value>().next()?.ok()
}
