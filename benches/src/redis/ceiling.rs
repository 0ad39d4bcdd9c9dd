//! What Redis itself can do with the usual script.

use std::process::Command;

use anyhow::Context as _;
use tollgate_testkit::redis::Redis;

use super::naive;
use crate::depth::Depth;

/// Calls per second by redis-benchmark, with as many requests under way.
pub(super) fn of(server: &Redis, keys: usize, callers: usize, depth: Depth) -> anyhow::Result<f64> {
    const PIPELINE: usize = 16;
    let digest = server.command(&["SCRIPT", "LOAD", naive::SCRIPT]);
    let calls = match depth {
        Depth::Quick => 20_000,
        Depth::Full => 200_000,
    };
    let address = server.address();
    let mut command = Command::new("taskset");
    command.args([
        "-c",
        "1",
        "redis-benchmark",
        "--csv",
        "-h",
        &address.ip().to_string(),
    ]);
    command.args(["-p", &address.port().to_string(), "-n", &calls.to_string()]);
    command.args([
        "-c",
        &(callers / PIPELINE).max(1).to_string(),
        "-P",
        &PIPELINE.to_string(),
    ]);
    command.args([
        "-r",
        &keys.to_string(),
        "EVALSHA",
        digest.trim(),
        "1",
        "user-__rand_int__",
        "1000000",
        "1000000",
        "1",
    ]);
    let output = command.output().context("redis-benchmark is installed")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let last = text.lines().last().unwrap_or_default();
    let rate = last.split(',').nth(1).unwrap_or_default().trim_matches('"');
    rate.parse()
        .with_context(|| format!("redis-benchmark said {text:?}"))
}
