//! HAProxy.

use std::net::SocketAddr;

use super::{
    Gateway,
    program::{Program, folder},
};

/// HAProxy with a `haproxy.cfg` that makes it listen at `addr`, and a file `tollgate.lua` beside it.
///
/// # Panics
///
/// If HAProxy is not installed, or does not start in time: its log is told.
pub fn haproxy(config: &str, lua: &str, addr: SocketAddr) -> Gateway {
    let folder = folder(&[("haproxy.cfg", config), ("tollgate.lua", lua)]);
    let program = Program::find("haproxy", &["-db", "-f", "haproxy.cfg"]);
    Gateway::start(&program, folder, addr)
}
