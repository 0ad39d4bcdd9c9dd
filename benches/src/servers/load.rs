//! As many requests as a server takes, from fifty connections on one core.

use std::{
    net::SocketAddr,
    rc::Rc,
    time::{Duration, Instant},
};

use hdrhistogram::Histogram;
use memchr::memmem::Finder;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::TcpStream,
    task::{JoinSet, LocalSet},
};

use super::{script::Script, sealed::Seal};

pub(super) const CONNECTIONS: usize = 50;

/// What came of a turn.
#[derive(Debug)]
pub(crate) struct Turn {
    pub(crate) requests: u64,
    pub(crate) took: Duration,
    /// Round trips of a pipeline, in microseconds.
    pub(crate) latency_us: Histogram<u64>,
}

/// What somebody asked: how often, and how long each time took.
type Asked = anyhow::Result<(u64, Histogram<u64>)>;

/// Asks for as long as told, with `pipeline` requests under way on each connection.
pub(super) fn drive(
    address: SocketAddr,
    seal: Option<&Seal>,
    script: &Script,
    pipeline: usize,
    how_long: Duration,
) -> anyhow::Result<Turn> {
    drive_over(address, seal, script, (CONNECTIONS, pipeline), how_long)
}

/// The same in clear over as many connections as told.
pub(crate) fn few(
    address: SocketAddr,
    script: &Script,
    connections_and_pipeline: (usize, usize),
    how_long: Duration,
) -> anyhow::Result<Turn> {
    drive_over(address, None, script, connections_and_pipeline, how_long)
}

fn drive_over(
    address: SocketAddr,
    seal: Option<&Seal>,
    script: &Script,
    (connections, pipeline): (usize, usize),
    how_long: Duration,
) -> anyhow::Result<Turn> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let local = LocalSet::new();
    let script = Rc::new(script.clone());
    local.block_on(&runtime, async move {
        let mut streams = Vec::new();
        for _ in 0..connections {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            streams.push(match seal {
                None => Ok(stream),
                Some(seal) => Err(seal.connect(stream).await?),
            });
        }
        let start = Instant::now();
        let deadline = start + how_long;
        let mut tasks = JoinSet::new();
        for (number, stream) in streams.into_iter().enumerate() {
            let (script, first) = (Rc::clone(&script), number * 83);
            match stream {
                Ok(clear) => tasks.spawn_local(ask(clear, script, first, pipeline, deadline)),
                Err(sealed) => tasks.spawn_local(ask(sealed, script, first, pipeline, deadline)),
            };
        }
        gather(tasks, start).await
    })
}

/// What came of everybody's asking.
pub(super) async fn gather(mut tasks: JoinSet<Asked>, start: Instant) -> anyhow::Result<Turn> {
    let mut turn = Turn {
        requests: 0,
        took: Duration::ZERO,
        latency_us: Histogram::new_with_bounds(1, 60_000_000, 3)?,
    };
    while let Some(done) = tasks.join_next().await {
        let (requests, latency_us) = done??;
        turn.requests += requests;
        turn.latency_us.add(latency_us)?;
    }
    turn.took = start.elapsed();
    Ok(turn)
}

async fn ask(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    script: Rc<Script>,
    mut next: usize,
    pipeline: usize,
    deadline: Instant,
) -> Asked {
    let finder = Finder::new(script.marker);
    let mut latency_us = Histogram::new_with_bounds(1, 60_000_000, 3)?;
    let mut input = vec![0; 256 * 1024];
    let mut requests = 0;
    loop {
        let sent = Instant::now();
        if sent >= deadline {
            return Ok((requests, latency_us));
        }
        stream.write_all(script.run(next, pipeline)).await?;
        stream.flush().await?;
        let mut answers = Answers::default();
        while answers.begun < pipeline || !answers.is_whole {
            let read = stream.read(&mut input).await?;
            anyhow::ensure!(read > 0, "the server closed a connection");
            answers.take(&input[..read], &finder);
        }
        latency_us.saturating_record(sent.elapsed().as_micros() as u64);
        requests += pipeline as u64;
        next += pipeline;
    }
}

/// How many answers have begun, and whether the last bytes can be the end of one.
#[derive(Debug, Default)]
struct Answers {
    begun: usize,
    is_whole: bool,
    /// What could be the start of a marker.
    tail: Vec<u8>,
}

impl Answers {
    fn take(&mut self, bytes: &[u8], finder: &Finder<'_>) {
        let marker = finder.needle();
        if !self.tail.is_empty() {
            let mut seam = std::mem::take(&mut self.tail);
            let head = bytes.len().min(marker.len() - 1);
            seam.extend_from_slice(&bytes[..head]);
            self.begun += finder.find_iter(&seam).count();
        }
        self.begun += finder.find_iter(bytes).count();
        let keep = bytes.len().min(marker.len() - 1);
        self.tail.extend_from_slice(&bytes[bytes.len() - keep..]);
        // An answer of RESP ends a line, one of HTTP an object; cut elsewhere, more will come.
        self.is_whole = bytes.ends_with(b"\r\n") || bytes.ends_with(b"}");
    }
}
