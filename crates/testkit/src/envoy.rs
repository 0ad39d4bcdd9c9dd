//! A real Envoy.

use std::{
    fs,
    io::{self, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    process::{Child, Command, Stdio},
    time::Duration,
};

use serde_json::Value;
use tempfile::TempDir;

use crate::{deadline::poll, pypi::pypi};

/// Longer than Envoy ever takes to start, even on a machine that has other things to do.
const START_MAX: Duration = Duration::from_secs(60);
/// Longer than its admin side ever takes to answer.
const ANSWER_MAX: Duration = Duration::from_secs(60);

/// A running Envoy with a folder of its own; it is killed when this is dropped.
#[derive(Debug)]
pub struct Envoy {
    child: Child,
    admin: SocketAddr,
    folder: TempDir,
}

impl Envoy {
    /// Starts Envoy with a bootstrap configuration (YAML or JSON), and waits until it serves. Listeners
    /// and the admin side are to ask for port 0.
    ///
    /// # Panics
    ///
    /// If Envoy is not installed, refuses the configuration, or does not start in time; its log is told.
    pub fn start(bootstrap: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        fs::write(path("envoy.yaml"), bootstrap).expect("a file in our own folder");
        let log = fs::File::create(path("log")).expect("a file in our own folder");
        let child = Command::new(pypi("envoy"))
            .args(["--concurrency", "1", "--disable-hot-restart"])
            .args(["--log-level", "warning"])
            .arg("--config-path")
            .arg(path("envoy.yaml"))
            .arg("--admin-address-path")
            .arg(path("admin"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("Envoy can be run");
        let mut starting = Starting { child, folder };
        let admin = poll(START_MAX, || starting.look());
        let Some(Ok(admin)) = admin else {
            let log = fs::read_to_string(starting.folder.path().join("log")).unwrap_or_default();
            drop(starting.child.kill());
            drop(starting.child.wait());
            panic!("Envoy does not start: {log}\n{bootstrap}");
        };
        let Starting { child, folder } = starting;
        Self { child, admin, folder }
    }

    /// Where the listener of this name listens.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub fn listener(&self, name: &str) -> SocketAddr {
        let told = self.ask("/listeners?format=json");
        let told: Value = serde_json::from_str(&told).expect("JSON of Envoy's own");
        let mut listeners = told["listener_statuses"].as_array().into_iter().flatten();
        let listener = listeners.find(|listener| listener["name"] == name);
        let listener = listener.unwrap_or_else(|| panic!("no listener {name}: {told}"));
        let socket = &listener["local_address"]["socket_address"];
        let address = socket["address"].as_str().and_then(|it| it.parse().ok());
        let port = socket["port_value"].as_u64().and_then(|port| u16::try_from(port).ok());
        match (address, port) {
            (Some(address), Some(port)) => SocketAddr::new(address, port),
            _ => panic!("no address: {told}"),
        }
    }

    /// The value of one of its counters and gauges; 0 if it has not counted yet.
    pub fn stat(&self, name: &str) -> u64 {
        let told = self.ask("/stats");
        let lines = told.lines().filter_map(|line| line.split_once(": "));
        let mut values = lines.filter(|(known, _)| *known == name);
        values.next().and_then(|(_, value)| value.parse().ok()).unwrap_or(0)
    }

    /// What it has logged so far.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    fn ask(&self, path: &str) -> String {
        ask(self.admin, path).unwrap_or_else(|error| panic!("{path}: {error}: {}", self.log()))
    }
}

impl Drop for Envoy {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

struct Starting {
    child: Child,
    folder: TempDir,
}

impl Starting {
    /// Its admin address once it serves, an error once it has ended.
    fn look(&mut self) -> Option<Result<SocketAddr, ()>> {
        if let Ok(Some(_)) = self.child.try_wait() {
            return Some(Err(()));
        }
        let address = fs::read_to_string(self.folder.path().join("admin")).ok()?;
        let address = address.trim().parse().ok()?;
        let is_ready = ask(address, "/ready").is_ok_and(|told| told.contains("LIVE"));
        is_ready.then_some(Ok(address))
    }
}

/// The body of an answer.
fn ask(admin: SocketAddr, path: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(admin)?;
    stream.set_read_timeout(Some(ANSWER_MAX))?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {admin}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let Some((head, body)) = answer.split_once("\r\n\r\n") else {
        return Err(io::Error::other(format!("half an answer: {answer:?}")));
    };
    if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        return Ok(joined(body));
    }
    Ok(body.to_owned())
}

/// The chunks as one.
fn joined(mut chunks: &str) -> String {
    let mut body = String::new();
    while let Some((length, rest)) = chunks.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).unwrap_or(0);
        let Some(chunk) = rest.get(..length).filter(|chunk| !chunk.is_empty()) else {
            break;
        };
        body.push_str(chunk);
        chunks = rest[length..].trim_start_matches("\r\n");
    }
    body
}
