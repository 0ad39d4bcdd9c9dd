//! Over a real socket.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use prost::Message as _;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::timeout,
};
use tollgate_rls::RateLimitResponse;

use super::rig::{Envoy, descriptor, request, said};
use crate::{
    config::Timers,
    health::Condition,
    listen::{Peer, Serve as _, Stream},
    rls::{health::NodeHealth, routes::Routes, serve::RlsServe},
    rules::Shown,
    stop::{Stop, Stopper},
};

const RULES: &str = "  - { name: users, key: [user], limit: 2/min }";
const SOON: Duration = Duration::from_secs(20);
const ASK: &str = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";

/// One connection to the service.
struct Line {
    client: Option<TcpStream>,
    stopper: Stopper,
    served: JoinSet<()>,
}

impl Line {
    async fn new(timers: Timers) -> Self {
        let condition = || Condition {
            revision: Some(1),
            shown: Shown::Own,
            degraded: Vec::new(),
        };
        let health = NodeHealth::new(Arc::new(condition));
        let routes = Routes::new(Arc::new(Envoy::of(RULES).rls), health, timers.request);
        let serve = RlsServe { routes, timers };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap());
        let client = client.await.unwrap();
        let (stream, address) = listener.accept().await.unwrap();
        let (stopper, stop) = Stop::channel();
        let mut served = JoinSet::new();
        let peer = Peer {
            address,
            name: None,
        };
        served.spawn(async move { serve.serve(Stream::from(stream), peer, stop).await });
        Self {
            client: Some(client),
            stopper,
            served,
        }
    }

    async fn speak(&mut self) -> SendRequest<Full<Bytes>> {
        let stream = TokioIo::new(self.client.take().unwrap());
        let (sender, connection) = handshake(TokioExecutor::new(), stream).await.unwrap();
        self.served.spawn(async move { drop(connection.await) });
        sender
    }

    async fn ended(mut self) {
        drop(self.client);
        let all = async { while self.served.join_next().await.is_some() {} };
        timeout(SOON, all).await.unwrap();
    }
}

fn framed(message: &[u8]) -> Bytes {
    let mut body = vec![0];
    body.extend_from_slice(&u32::try_from(message.len()).unwrap().to_be_bytes());
    body.extend_from_slice(message);
    body.into()
}

/// The body and the status in the trailers, or in the head where there is no body.
async fn call(sender: &mut SendRequest<Full<Bytes>>, path: &str, body: Bytes) -> (Bytes, String) {
    let request = http::Request::post(format!("http://tollgate{path}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(Full::new(body))
        .unwrap();
    let response = sender.send_request(request).await.unwrap();
    let head = response.headers().get("grpc-status").cloned();
    let body = response.into_body().collect().await.unwrap();
    let status = body
        .trailers()
        .and_then(|all| all.get("grpc-status"))
        .cloned();
    let status = status.or(head).unwrap();
    (body.to_bytes(), status.to_str().unwrap().to_owned())
}

fn question() -> Bytes {
    framed(&request(&[descriptor("user_id=alice")]).encode_to_vec())
}

// Proves: S2
#[tokio::test]
async fn one_connection_asks_many_things() {
    let mut line = Line::new(Timers::default()).await;
    let mut sender = line.speak().await;
    for expected in ["ok 1", "ok 0", "over 0"] {
        let (body, status) = call(&mut sender, ASK, question()).await;
        assert_eq!(status, "0");
        let message = RateLimitResponse::decode(body.slice(5..)).unwrap();
        assert_eq!(said(&message), expected);
    }
    let (_, status) = call(&mut sender, ASK, framed(b"\xff\xff\xff")).await;
    assert_ne!(status, "0", "no message");
    let (_, status) = call(&mut sender, ASK, framed(&vec![0; (1 << 20) + 1])).await;
    assert_eq!(status, "11", "out of range: too large");
    let (_, status) = call(&mut sender, "/no.such.Service/Ask", question()).await;
    assert_eq!(status, "12", "unimplemented");
    let (body, status) = call(&mut sender, "/grpc.health.v1.Health/Check", framed(b"")).await;
    assert_eq!((&body[5..], status.as_str()), (&[8, 1][..], "0"), "serving");
    let unknown = framed(b"\x0a\x01x");
    let (_, status) = call(&mut sender, "/grpc.health.v1.Health/Check", unknown).await;
    assert_eq!(status, "5", "not found");
    drop(sender);
    line.ended().await;
}

#[tokio::test]
async fn the_word_to_stop_ends_an_idle_connection() {
    let mut line = Line::new(Timers::default()).await;
    let mut sender = line.speak().await;
    let (_, status) = call(&mut sender, ASK, question()).await;
    assert_eq!(status, "0");
    line.stopper.stop();
    line.ended().await;
}

#[tokio::test]
async fn whoever_says_nothing_is_left() {
    let timers = Timers {
        request: Duration::from_millis(50),
        write: Duration::from_millis(50),
        ..Timers::default()
    };
    for words in [
        "",
        "PRI * HTTP",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    ] {
        let mut line = Line::new(timers).await;
        let client = line.client.as_mut().unwrap();
        client.write_all(words.as_bytes()).await.unwrap();
        let mut heard = Vec::new();
        // Closed or reset, but not left open.
        drop(timeout(SOON, client.read_to_end(&mut heard)).await.unwrap());
        line.ended().await;
    }
}
