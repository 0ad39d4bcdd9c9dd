//! What it was measured on.

use std::{fs, process::Command, thread};

use serde::Serialize;

/// The lock file of the build, for the peers' versions.
const LOCK: &str = include_str!("../../Cargo.lock");
const PEERS: [&str; 5] = ["governor", "tower_governor", "throttlecrab", "limitador", "dashmap"];

#[derive(Debug, Serialize)]
pub(crate) struct Machine {
    pub(crate) processor: String,
    pub(crate) cores: usize,
    pub(crate) kernel: String,
    pub(crate) compiler: String,
    pub(crate) peers: String,
    /// How busy the machine was when the run began; above 1, others had a part in the numbers.
    pub(crate) load: String,
}

impl Machine {
    pub(crate) fn look() -> Self {
        let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let processor = cpus
            .lines()
            .find_map(|line| line.strip_prefix("model name"))
            .map_or("unknown", |rest| rest.trim_start_matches([' ', '\t', ':']));
        let peers = PEERS.map(|name| format!("{name} {}", version(LOCK, name)));
        Self {
            processor: processor.to_owned(),
            cores: thread::available_parallelism().map_or(1, usize::from),
            kernel: first_word("/proc/sys/kernel/osrelease"),
            compiler: compiler(),
            peers: peers.join(", "),
            load: first_word("/proc/loadavg"),
        }
    }
}

fn first_word(path: &str) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().next().unwrap_or("unknown").to_owned()
}

fn compiler() -> String {
    let output = Command::new("rustc").arg("--version").output();
    output.map_or_else(
        |_| "unknown".to_owned(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    )
}

fn version<'a>(lock: &'a str, package: &str) -> &'a str {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name).skip(1);
    let line = lines.next().unwrap_or_default();
    line.trim_start_matches("version = ").trim_matches('"')
}

#[cfg(test)]
mod tests {
    use super::{LOCK, PEERS, version};

    #[test]
    fn every_peer_has_a_version() {
        for peer in PEERS {
            assert!(version(LOCK, peer).starts_with(|sign: char| sign.is_ascii_digit()));
        }
    }

    #[test]
    fn an_unknown_package_has_none() {
        assert_eq!(version(LOCK, "no-such-package"), "");
    }
}
