//! What our server takes, idle and with half a million keys.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
};

use super::tollgate::Ours;
use crate::depth::Depth;

/// Resident memory, in megabytes.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) idle_mb: f64,
    pub(crate) keys: usize,
    pub(crate) with_keys_mb: f64,
}

/// Commands sent together.
const TOGETHER: usize = 500;

pub(super) fn run(depth: Depth) -> anyhow::Result<Memory> {
    let keys = depth.pick(10_000, 500_000);
    let ours = Ours::start()?;
    let idle_mb = ours.process.resident() / 1e6;
    let mut stream = TcpStream::connect(ours.resp)?;
    let mut input = vec![0; 1 << 20];
    for first in (0..keys).step_by(TOGETHER) {
        let mut commands = String::new();
        for user in first..first + TOGETHER {
            commands += &format!(
                "TG.CHECK user_id user-{user} endpoint /api/v1/service-0/list method GET\r\n"
            );
        }
        stream.write_all(commands.as_bytes())?;
        let mut answers = 0;
        while answers < TOGETHER {
            let read = stream.read(&mut input)?;
            anyhow::ensure!(read > 0, "the server closed the connection");
            answers += input[..read].iter().filter(|byte| **byte == b'*').count();
        }
    }
    Ok(Memory { idle_mb, keys, with_keys_mb: ours.process.resident() / 1e6 })
}
