//! NGINX.

use std::net::SocketAddr;

use super::{
    Gateway,
    program::{Program, folder},
};

/// What Debian's package has around the files of `conf.d`, but for where things are kept.
const MAIN: &str = "\
daemon off;
master_process off;
pid pid;
error_log stderr;
events { worker_connections 512; }
http {
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    include site.conf;
}
";

/// NGINX with a file of `conf.d` that makes it listen at `addr`.
///
/// # Panics
///
/// If NGINX is not installed, or does not start in time: its log is told.
pub fn nginx(site: &str, addr: SocketAddr) -> Gateway {
    let folder = folder(&[("nginx.conf", MAIN), ("site.conf", site)]);
    let here = folder.path().display().to_string();
    let arguments = ["-p", &here, "-c", "nginx.conf", "-e", "stderr"];
    let program = Program::find("nginx", &arguments);
    Gateway::start(&program, folder, addr)
}
