//! A server in a process of its own, on a core of its own.

use std::{
    fs,
    net::{SocketAddr, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::Context as _;

/// The core of the servers; whoever asks them has another.
const SERVER_CORE: &str = "0";
pub(crate) const LOAD_CORE: usize = 1;

/// A running server; it ends with this.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
}

impl Process {
    /// Starts a program on the servers' core.
    pub(super) fn start(command: &Command) -> anyhow::Result<Self> {
        let mut pinned = Command::new("taskset");
        pinned.args(["-c", SERVER_CORE]).arg(command.get_program());
        pinned.args(command.get_args());
        for (name, value) in command.get_envs() {
            if let Some(value) = value {
                pinned.env(name, value);
            }
        }
        if let Some(folder) = command.get_current_dir() {
            pinned.current_dir(folder);
        }
        let child = pinned
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {:?}", command.get_program()))?;
        Ok(Self { child })
    }

    /// Waits until it takes connections.
    pub(super) fn listening(&mut self, address: SocketAddr) -> anyhow::Result<()> {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            if TcpStream::connect(address).is_ok() {
                return Ok(());
            }
            if let Some(status) = self.child.try_wait()? {
                anyhow::bail!("the server of {address} ended with {status}");
            }
            anyhow::ensure!(Instant::now() < deadline, "nobody listens on {address}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Processor time so far.
    pub(super) fn cpu(&self) -> Duration {
        let path = format!("/proc/{}/stat", self.child.id());
        let text = fs::read_to_string(path).unwrap_or_default();
        let after_name = text.rsplit_once(')').map_or("", |(_, rest)| rest);
        let mut words = after_name.split_whitespace().skip(11);
        let mut ticks = || -> u64 { words.next().and_then(|word| word.parse().ok()).unwrap_or(0) };
        Duration::from_millis((ticks() + ticks()) * 10)
    }

    /// Resident bytes.
    pub(super) fn resident(&self) -> f64 {
        let path = format!("/proc/{}/statm", self.child.id());
        let text = fs::read_to_string(path).unwrap_or_default();
        let pages = text.split_whitespace().nth(1).and_then(|word| word.parse().ok());
        pages.unwrap_or(0.0) * 4_096.0
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A port that nobody has right now.
pub(super) fn free_address() -> anyhow::Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}
