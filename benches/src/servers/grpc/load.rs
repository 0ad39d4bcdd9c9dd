//! As many calls as a server takes: HTTP/2 and the messages as they are, no framework above.

use std::{
    net::SocketAddr,
    rc::Rc,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use bytes::Bytes;
use h2::client::SendRequest;
use hdrhistogram::Histogram;
use http::{HeaderMap, Request};
use tokio::{
    net::TcpStream,
    task::{JoinSet, LocalSet},
};

use super::super::{
    load::{Turn, gather},
    script::Script,
    shape::Streams,
};

/// Calls for as long as told, with so many streams open on each connection.
pub(in crate::servers) fn drive(
    address: SocketAddr,
    script: &Script,
    Streams {
        connections,
        streams,
    }: Streams,
    how_long: Duration,
) -> anyhow::Result<Turn> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let local = LocalSet::new();
    let script = Rc::new(script.clone());
    local.block_on(&runtime, async move {
        let mut opened = Vec::new();
        for _ in 0..connections {
            opened.push(connect(address).await?);
        }
        let start = Instant::now();
        let deadline = start + how_long;
        let mut tasks = JoinSet::new();
        for (connection, sender) in opened.iter().enumerate() {
            for stream in 0..streams {
                let first = (connection * streams + stream) * 83;
                tasks.spawn_local(ask(sender.clone(), Rc::clone(&script), first, deadline));
            }
        }
        gather(tasks, start).await
    })
}

async fn connect(address: SocketAddr) -> anyhow::Result<SendRequest<Bytes>> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (sender, connection) = h2::client::handshake(stream).await?;
    // It ends with the runtime; whoever asks sees what went wrong.
    tokio::task::spawn_local(connection);
    Ok(sender.ready().await?)
}

async fn ask(
    mut sender: SendRequest<Bytes>,
    script: Rc<Script>,
    mut next: usize,
    deadline: Instant,
) -> anyhow::Result<(u64, Histogram<u64>)> {
    let uri = format!("http://127.0.0.1{}", script.method);
    let head = Request::post(uri)
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(())?;
    let mut latency_us = Histogram::new_with_bounds(1, 60_000_000, 3)?;
    let mut requests = 0;
    loop {
        let sent = Instant::now();
        if sent >= deadline {
            return Ok((requests, latency_us));
        }
        sender = sender.ready().await?;
        let (answer, mut body) = sender.send_request(head.clone(), false)?;
        body.send_data(Bytes::copy_from_slice(script.run(next, 1)), true)?;
        let (head, mut body) = answer.await?.into_parts();
        let mut length = 0;
        while let Some(piece) = body.data().await {
            let piece = piece?;
            length += piece.len();
            body.flow_control().release_capacity(piece.len())?;
        }
        let trailers = body.trailers().await?.unwrap_or_default();
        anyhow::ensure!(length > 0, "no message: {:?} {trailers:?}", head.headers);
        is_fine(&trailers)?;
        latency_us.saturating_record(sent.elapsed().as_micros() as u64);
        requests += 1;
        next += 1;
    }
}

fn is_fine(trailers: &HeaderMap) -> anyhow::Result<()> {
    let status = trailers
        .get("grpc-status")
        .context("an answer without a status")?;
    anyhow::ensure!(status == "0", "{trailers:?}");
    Ok(())
}
