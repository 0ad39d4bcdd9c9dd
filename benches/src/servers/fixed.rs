//! The ceilings: the same sockets with a fixed reply behind them.

use std::net::SocketAddr;

use clap::ValueEnum;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

/// What replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// The answer of `CL.THROTTLE` to every array.
    Resp,
    /// The answer of `TG.CHECK` to every array.
    RespCheck,
    /// A small JSON to every post, hand-written.
    Http,
    /// The same by axum.
    Axum,
    /// A check by limitador's library, by axum.
    Limitador,
    /// A status to every question over gRPC, by tonic.
    Tonic,
    /// A check by limitador's library, by tonic.
    TonicLimitador,
}

const JSON: &str = r#"{"allowed":true,"remaining":99,"limit":100,"reset":1710432000}"#;

/// Replies until killed.
pub(crate) fn serve(kind: Kind, address: SocketAddr) -> anyhow::Result<()> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    runtime.block_on(async move {
        let listener = TcpListener::bind(address).await?;
        match kind {
            Kind::Axum => super::peers::axum_fixed(listener, JSON).await,
            Kind::Limitador => super::peers::limitador(listener).await,
            Kind::Tonic => super::grpc::fixed(listener).await,
            Kind::TonicLimitador => super::grpc::limitador(listener).await,
            Kind::Resp | Kind::RespCheck | Kind::Http => reply(listener, kind).await,
        }
    })
}

async fn reply(listener: TcpListener, kind: Kind) -> anyhow::Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(connection(stream, kind));
    }
}

async fn connection(mut stream: TcpStream, kind: Kind) -> anyhow::Result<()> {
    let http = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{JSON}",
        JSON.len()
    );
    let (begin, answer): (&[u8], &[u8]) = match kind {
        Kind::Resp => (b"*", b"*5\r\n:0\r\n:16\r\n:15\r\n:-1\r\n:2\r\n"),
        Kind::RespCheck => {
            (b"*", b"*6\r\n:1\r\n:1000000000\r\n:999999999\r\n:0\r\n:3600000\r\n$6\r\nrule-7\r\n")
        }
        _ => (b"POST ", http.as_bytes()),
    };
    let finder = memchr::memmem::Finder::new(begin);
    let mut input = vec![0; 64 * 1024];
    let mut output = Vec::new();
    loop {
        let read = stream.read(&mut input).await?;
        if read == 0 {
            return Ok(());
        }
        // A request that two reads share is answered by the one that has its beginning.
        for _ in finder.find_iter(&input[..read]) {
            output.extend_from_slice(answer);
        }
        stream.write_all(&output).await?;
        output.clear();
    }
}
