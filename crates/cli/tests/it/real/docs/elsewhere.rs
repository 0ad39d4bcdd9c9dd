//! A server that callers reach by an address that is not loopback, as they do in containers.

use std::{
    net::{IpAddr, UdpSocket},
    process::Command,
};

use crate::common::{Desk, cleared, server::Server};

/// A server, and how its callers get there. It is in a network namespace of its own, so that no other program has its
/// address. Where none can be made (no privilege, no `ip`), it is at this machine's own address.
pub(super) struct Elsewhere {
    pub(super) server: Server,
    is_namespace: bool,
}

/// In the namespace. From 192.0.2.0/24, which is for documentation.
const ADDRESS: &str = "192.0.2.77";
const UNSHARE: [&str; 4] = ["unshare", "--user", "--map-root-user", "--net"];
/// The interface stays loopback, its second address does not.
const WITH_ADDRESS: &str = "ip link set lo up && ip address add \"$0\"/32 dev lo && exec \"$@\"";

impl Elsewhere {
    /// Starts a server with these flags and its admin side on loopback.
    pub(super) fn serve(desk: &Desk, words: &[&str]) -> Self {
        let is_namespace = Command::new("unshare")
            .args(&UNSHARE[1..])
            .args(["sh", "-c", WITH_ADDRESS, ADDRESS, "true"])
            .output()
            .is_ok_and(|made| made.status.success());
        let http = match is_namespace {
            true => format!("{ADDRESS}:0"),
            false => format!("{}:0", own_address()),
        };
        let mut serve = desk.command(&["serve", "--json", "--http", &http]);
        for flag in ["--grpc", "--resp", "--admin"] {
            serve.args([flag, "127.0.0.1:0"]);
        }
        serve.args(words);
        let within: &[&str] = match is_namespace {
            true => &[&UNSHARE[..], &["sh", "-c", WITH_ADDRESS, ADDRESS]].concat(),
            false => &[],
        };
        let server = Server::start(behind(within, &serve));
        Self { server, is_namespace }
    }

    /// The command as one that runs where the server is.
    pub(super) fn there(&self, command: &Command) -> Command {
        let target = self.server.id().to_string();
        let within: &[&str] = match self.is_namespace {
            true => &["nsenter", "--preserve-credentials", "--user", "--net", "--target", &target],
            false => &[],
        };
        behind(within, command)
    }
}

/// The command with words before it.
fn behind(words: &[&str], command: &Command) -> Command {
    let inner = std::iter::once(command.get_program()).chain(command.get_args());
    let mut all = words.iter().map(AsRef::as_ref).chain(inner);
    let mut outer = Command::new(all.next().unwrap());
    cleared(outer.args(all));
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => outer.env(name, value),
            None => outer.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        outer.current_dir(folder);
    }
    outer
}

/// The address by which this machine would call another. No packet is sent.
fn own_address() -> IpAddr {
    let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
    let routed = socket.connect((ADDRESS, 9));
    routed.unwrap_or_else(|error| {
        panic!("no namespace can be made, and there is no network: {error}")
    });
    let own = socket.local_addr().unwrap().ip();
    assert!(!own.is_loopback(), "{own}");
    own
}
