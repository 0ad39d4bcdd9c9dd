//! The usual way, one script call for each request: by everybody over one connection, and by redis-benchmark.

use std::process::Command;

use anyhow::Context as _;
use redis::aio::MultiplexedConnection;
use tollgate_testkit::redis::Redis;

use crate::depth::Depth;

/// A token bucket as it is written everywhere: two numbers in a hash, a clock, an expiry.
const SCRIPT: &str = "
local rate, burst, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local found = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = tonumber(found[1]) or burst
tokens = math.min(burst, tokens + (now - (tonumber(found[2]) or now)) * rate / 1000000)
local allowed = tokens >= cost
if allowed then tokens = tokens - cost end
redis.call('HSET', KEYS[1], 'tokens', tokens, 'at', now)
redis.call('PEXPIRE', KEYS[1], math.ceil(burst / rate * 2000))
return { allowed and 1 or 0, math.floor(tokens) }
";

/// What asks one server.
#[derive(Clone)]
pub(super) struct Naive {
    connection: MultiplexedConnection,
    digest: String,
}

impl Naive {
    pub(super) async fn open(url: &str) -> anyhow::Result<Self> {
        let info: redis::ConnectionInfo = redis::IntoConnectionInfo::into_connection_info(url)?;
        let client = redis::Client::open(info)?;
        let mut connection = client.get_multiplexed_async_connection().await?;
        let digest =
            redis::cmd("SCRIPT").arg("LOAD").arg(SCRIPT).query_async(&mut connection).await?;
        Ok(Self { connection, digest })
    }

    pub(super) async fn check(&mut self, key: &str) -> anyhow::Result<bool> {
        let (allowed, _): (u8, i64) = redis::cmd("EVALSHA")
            .arg(&self.digest)
            .arg(1)
            .arg(key)
            .arg(1_000_000)
            .arg(1_000_000)
            .arg(1)
            .query_async(&mut self.connection)
            .await?;
        Ok(allowed == 1)
    }
}

/// Calls per second by redis-benchmark, with as many requests under way.
pub(super) fn ceiling(
    server: &Redis,
    keys: usize,
    callers: usize,
    depth: Depth,
) -> anyhow::Result<f64> {
    const PIPELINE: usize = 16;
    let digest = server.command(&["SCRIPT", "LOAD", SCRIPT]);
    let calls = depth.pick(20_000, 200_000);
    let address = server.address();
    let mut command = Command::new("taskset");
    command.args(["-c", "1", "redis-benchmark", "--csv", "-h", &address.ip().to_string()]);
    command.args(["-p", &address.port().to_string(), "-n", &calls.to_string()]);
    command.args(["-c", &(callers / PIPELINE).max(1).to_string(), "-P", &PIPELINE.to_string()]);
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
    rate.parse().with_context(|| format!("redis-benchmark said {text:?}"))
}
