//! gRPC: what is called, who calls, and who else answers.

use std::{
    collections::HashMap,
    net::SocketAddr,
    rc::Rc,
    time::{Duration, Instant},
};

use ::limitador::RateLimiter;
use anyhow::Context as _;
use bytes::Bytes;
use h2::client::SendRequest;
use hdrhistogram::Histogram;
use http::{HeaderMap, Request};
use prost::Message as _;
use tokio::{
    net::{TcpListener, TcpStream},
    task::{JoinSet, LocalSet},
};
use tollgate_rls::{
    Code, DescriptorStatus, Entry, RateLimit, RateLimitDescriptor, RateLimitRequest,
    RateLimitResponse, Unit,
    server::{RateLimitService, RateLimitServiceServer},
};
use tonic::{
    Response, Status, async_trait,
    transport::{Server, server::TcpIncoming},
};

use super::{
    load::{Turn, gather},
    peers::limitador_by_user,
    script::Script,
    shape::Streams,
};
use crate::rules::Asked;

/// One descriptor with four facts, against 200 rules.
pub(super) fn should_rate_limit() -> Script {
    let method = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
    Script::calls(method, |user| {
        let entry = |(field, value): (&'static str, String)| Entry {
            key: Bytes::from_static(key(field).as_bytes()),
            value: value.into(),
        };
        let facts = Asked::new(user % 200).facts(user);
        let request = RateLimitRequest {
            domain: Bytes::from_static(b"bench"),
            descriptors: vec![RateLimitDescriptor {
                entries: facts.into_iter().map(entry).collect(),
                ..RateLimitDescriptor::default()
            }],
            hits_addend: 0,
        };
        request.encode_to_vec()
    })
}

/// What Envoy calls a fact.
fn key(field: &'static str) -> &'static str {
    match field {
        "endpoint" => "path",
        "ip" => "remote_address",
        other => other,
    }
}

/// throttlecrab's own question: a key, and a limit with it.
pub(super) fn throttle() -> Script {
    Script::calls("/throttlecrab.RateLimiter/Throttle", |user| {
        let request = Throttle {
            key: format!("user:{user}"),
            max_burst: 1_000_000,
            count_per_period: 1_000_000,
            period: 60,
            quantity: 1,
        };
        request.encode_to_vec()
    })
}

#[derive(Clone, PartialEq, prost::Message)]
struct Throttle {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(int32, tag = "2")]
    max_burst: i32,
    #[prost(int32, tag = "3")]
    count_per_period: i32,
    #[prost(int32, tag = "4")]
    period: i32,
    #[prost(int32, tag = "5")]
    quantity: i32,
}

/// Calls for as long as told, with so many streams open on each connection.
pub(super) fn drive(
    address: SocketAddr,
    script: &Script,
    Streams { connections, streams }: Streams,
    how_long: Duration,
) -> anyhow::Result<Turn> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
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
    // It ends with the runtime; the caller sees what went wrong.
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
    let status = trailers.get("grpc-status").context("an answer without a status")?;
    anyhow::ensure!(status == "0", "{trailers:?}");
    Ok(())
}

/// The same answer to everybody.
pub(super) async fn fixed(listener: TcpListener) -> anyhow::Result<()> {
    serve(listener, Fixed).await
}

/// A check by limitador's library, with one limit for each user.
pub(super) async fn limitador(listener: TcpListener) -> anyhow::Result<()> {
    serve(listener, Limitador(limitador_by_user())).await
}

async fn serve(listener: TcpListener, service: impl RateLimitService) -> anyhow::Result<()> {
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let server = Server::builder().add_service(RateLimitServiceServer::new(service));
    Ok(server.serve_with_incoming(incoming).await?)
}

struct Fixed;

#[async_trait]
impl RateLimitService for Fixed {
    async fn should_rate_limit(
        &self,
        _: tonic::Request<RateLimitRequest>,
    ) -> Result<Response<RateLimitResponse>, Status> {
        Ok(Response::new(answer(Code::Ok)))
    }
}

struct Limitador(RateLimiter);

#[async_trait]
impl RateLimitService for Limitador {
    async fn should_rate_limit(
        &self,
        request: tonic::Request<RateLimitRequest>,
    ) -> Result<Response<RateLimitResponse>, Status> {
        let mut facts = HashMap::new();
        for entry in request.get_ref().descriptors.iter().flat_map(|it| &it.entries) {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            facts.insert(text(&entry.key), text(&entry.value));
        }
        let checked = self
            .0
            .check_rate_limited_and_update(&"check".into(), &facts.into(), 1)
            .map_err(|error| Status::internal(error.to_string()))?;
        let code = if checked.limited { Code::OverLimit } else { Code::Ok };
        Ok(Response::new(answer(code)))
    }
}

/// Of the size of ours.
fn answer(code: Code) -> RateLimitResponse {
    RateLimitResponse {
        overall_code: code.into(),
        statuses: vec![DescriptorStatus {
            code: code.into(),
            current_limit: Some(RateLimit {
                requests_per_unit: 1_000_000_000,
                unit: Unit::Hour.into(),
                name: "rule-7".to_owned(),
            }),
            limit_remaining: 999_999_999,
            duration_until_reset: None,
        }],
        ..RateLimitResponse::default()
    }
}
