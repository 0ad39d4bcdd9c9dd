//! Caddy.

use std::net::SocketAddr;

use super::{
    Gateway,
    program::{Program, folder},
};

/// Caddy with a `Caddyfile` that makes it listen at `addr`. Its admin side is off: there is one port for
/// it on a machine.
///
/// # Panics
///
/// If Caddy is not installed, or does not start in time: its log is told.
pub fn caddy(site: &str, addr: SocketAddr) -> Gateway {
    let config = format!("{{\n\tadmin off\n}}\n\n{site}");
    let folder = folder(&[("Caddyfile", &config)]);
    let program = Program::find("caddy", &["run", "--config", "Caddyfile"]);
    Gateway::start(&program, folder, addr)
}
