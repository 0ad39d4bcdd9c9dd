//! Those who do something like it.

use std::{
    collections::HashMap,
    fs,
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use anyhow::Context as _;
use axum::{Json, Router, routing::post};
use limitador::{RateLimiter, limit::Limit};
use tokio::net::TcpListener;

/// A reply by axum, as one would write it.
pub(super) async fn axum_fixed(listener: TcpListener, json: &'static str) -> anyhow::Result<()> {
    let reply = move || async move { ([("content-type", "application/json")], json) };
    let router = Router::new().route("/ratelimit/check", post(reply));
    Ok(axum::serve(listener, router).await?)
}

/// A check by limitador's library, with one limit for each user.
pub(super) async fn limitador(listener: TcpListener) -> anyhow::Result<()> {
    let limiter = Arc::new(limitador_by_user());
    let check = move |Json(facts): Json<HashMap<String, String>>| {
        let limiter = Arc::clone(&limiter);
        async move {
            let checked = limiter.check_rate_limited_and_update(&"check".into(), &facts.into(), 1);
            let is_limited = checked.map_or(true, |checked| checked.limited);
            Json(HashMap::from([("allowed", !is_limited)]))
        }
    };
    let router = Router::new().route("/ratelimit/check", post(check));
    Ok(axum::serve(listener, router).await?)
}

/// limitador in memory with one limit, for each user.
pub(super) fn limitador_by_user() -> RateLimiter {
    let limiter = RateLimiter::new(1_000_000);
    let limit = Limit::new(
        "check",
        1_000_000_000,
        3_600,
        vec![],
        vec!["user_id".try_into().expect("a variable")],
    );
    limiter.add_limit(limit);
    limiter
}

/// A token bucket as it is written in Lua everywhere: two fields of a hash.
const TOKEN_BUCKET: &str = "\
local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'at') \
local time = redis.call('TIME') \
local now = time[1] * 1000000 + time[2] \
local burst, rate = tonumber(ARGV[1]), tonumber(ARGV[2]) \
local tokens = tonumber(bucket[1]) or burst \
tokens = math.min(burst, tokens + (now - (tonumber(bucket[2]) or now)) * rate / 1000000) \
local allowed = 0 \
if tokens >= 1 then tokens = tokens - 1 allowed = 1 end \
redis.call('HSET', KEYS[1], 'tokens', tokens, 'at', now) \
redis.call('EXPIRE', KEYS[1], 60) \
return {allowed, math.floor(tokens)}";

pub(super) fn redis(address: SocketAddr) -> Command {
    let mut command = Command::new("redis-server");
    command.args(["--port", &address.port().to_string(), "--bind", "127.0.0.1"]);
    command.args(["--save", "", "--appendonly", "no"]);
    command
}

/// Loads the token bucket, and says what it is called.
pub(super) fn load_token_bucket(address: SocketAddr) -> anyhow::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    let length = TOKEN_BUCKET.len();
    write!(stream, "*3\r\n$6\r\nSCRIPT\r\n$4\r\nLOAD\r\n${length}\r\n{TOKEN_BUCKET}\r\n")?;
    let mut reply = [0; 47];
    stream.read_exact(&mut reply).context("SCRIPT LOAD")?;
    let text = std::str::from_utf8(&reply)?;
    let sha = text.lines().nth(1).unwrap_or_default().to_owned();
    anyhow::ensure!(sha.len() == 40, "SCRIPT LOAD said {text:?}");
    Ok(sha)
}

/// throttlecrab's server, if `cargo install throttlecrab-server --root target/peers` was run.
pub(super) fn throttlecrab(address: SocketAddr, folder: &Path) -> anyhow::Result<Command> {
    throttlecrab_by("redis", address, folder)
}

/// The same over gRPC.
pub(super) fn throttlecrab_grpc(address: SocketAddr, folder: &Path) -> anyhow::Result<Command> {
    throttlecrab_by("grpc", address, folder)
}

fn throttlecrab_by(way: &str, address: SocketAddr, folder: &Path) -> anyhow::Result<Command> {
    let program = folder.join("bin/throttlecrab-server");
    anyhow::ensure!(
        program.is_file(),
        "throttlecrab-server is not installed: cargo install throttlecrab-server --root {}",
        folder.display()
    );
    let mut command = Command::new(program);
    command.args(["--log-level", "error", &format!("--{way}")]);
    command.args([&format!("--{way}-host"), "127.0.0.1"]);
    command.args([format!("--{way}-port"), address.port().to_string()]);
    Ok(command)
}

/// Sets `TCP_NODELAY` on what is accepted, which throttlecrab's server forgets.
const NODELAY: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
int accept4(int listener, struct sockaddr *address, socklen_t *length, int flags) {
    int (*real)(int, struct sockaddr *, socklen_t *, int) = dlsym(RTLD_NEXT, "accept4");
    int one = 1, accepted = real(listener, address, length, flags);
    if (accepted >= 0) setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return accepted;
}
"#;

/// The library that does so, built here.
pub(super) fn nodelay_library(folder: &Path) -> anyhow::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let (source, library) = (folder.join("nodelay.c"), folder.join("nodelay.so"));
    fs::write(&source, NODELAY)?;
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-O2", "-o"])
        .args([&library, &source])
        .arg("-ldl")
        .status()
        .context("cannot run cc")?;
    anyhow::ensure!(status.success(), "cc ended with {status}");
    Ok(library)
}
