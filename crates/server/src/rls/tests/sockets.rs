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
    listen::{InputBudget, Peer, Serve as _, Stream},
    rls::{health::NodeHealth, routes::Services, serve::RlsServe},
    rules::Shown,
    stop::{Stop, Stopper},
    telemetry::Protocol,
};

const RULES: &str = "  - { name: users, key: [user], limit: 2/min }";
const SOON: Duration = Duration::from_secs(60);
const ASK: &str = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";

/// Timers that no client runs into, also on a machine that stalls.
fn patient() -> Timers {
    Timers { request: SOON, write: SOON, ..Timers::default() }
}

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
            warnings: Vec::new(),
            counting: crate::counting::Counting::Alone,
        };
        let (stopper, stop) = Stop::channel();
        let health = NodeHealth::new(Arc::new(condition), stop.clone());
        let rls = Arc::new(Envoy::of(RULES).rls);
        let budget = InputBudget::new(Protocol::Grpc, 1 << 26, rls.engine.recorder());
        let services = Services::new(rls, health, timers.request, stop.clone());
        let serve = RlsServe { services, timers, budget };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap());
        let client = client.await.unwrap();
        let (stream, address) = listener.accept().await.unwrap();
        let mut served = JoinSet::new();
        let peer = Peer::direct(address);
        served.spawn(async move { serve.serve(Stream::from(stream), peer, stop).await });
        Self { client: Some(client), stopper, served }
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
    let status = body.trailers().and_then(|all| all.get("grpc-status")).cloned();
    let status = status.or(head).unwrap();
    (body.to_bytes(), status.to_str().unwrap().to_owned())
}

fn question() -> Bytes {
    framed(&request(&[descriptor("user_id=alice")]).encode_to_vec())
}

// Proves: S2
#[tokio::test]
async fn one_connection_asks_many_things() {
    let mut line = Line::new(patient()).await;
    let mut sender = line.speak().await;
    for expected in ["ok 1", "ok 0", "over 0"] {
        let (body, status) = call(&mut sender, ASK, question()).await;
        assert_eq!(status, "0");
        let message = RateLimitResponse::decode(body.slice(5..)).unwrap();
        assert_eq!(said(&message), expected);
    }
    let (_, status) = call(&mut sender, ASK, framed(b"\xff\xff\xff")).await;
    assert_eq!(status, "3", "no message");
    let (_, status) = call(&mut sender, ASK, Bytes::from_static(b"\x01\0\0\0\x01x")).await;
    assert_eq!(status, "12", "compressed");
    for broken in [&b"\0\0\0"[..], b"\0\0\0\0\x09x", b"\0\0\0\0\x01xyz"] {
        let (_, status) = call(&mut sender, ASK, Bytes::from_static(broken)).await;
        assert_eq!(status, "3", "{broken:?}");
    }
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
    let mut line = Line::new(patient()).await;
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
    for words in
        ["", "PRI * HTTP", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"]
    {
        let mut line = Line::new(timers).await;
        let client = line.client.as_mut().unwrap();
        client.write_all(words.as_bytes()).await.unwrap();
        let mut heard = Vec::new();
        // Closed or reset, but not left open.
        drop(timeout(SOON, client.read_to_end(&mut heard)).await.unwrap());
        line.ended().await;
    }
}

/// A client of Envoy's can make questions long; whatever it does, it does not get past by that.
#[tokio::test]
async fn a_question_beyond_measure_is_denied_and_a_large_one_answered() {
    let mut line = Line::new(patient()).await;
    let mut sender = line.speak().await;
    let long = "x".repeat(60 << 10);
    let large = vec![descriptor(&format!("user_id=bob, agent={long}")); 32];
    let large = framed(&request(&large).encode_to_vec());
    let (body, status) = call(&mut sender, ASK, large).await;
    assert_eq!(status, "0");
    let message = RateLimitResponse::decode(body.slice(5..)).unwrap();
    assert_eq!(message.statuses.len(), 32);

    let (body, status) = call(&mut sender, ASK, framed(&vec![0; (4 << 20) + 1])).await;
    assert_eq!(status, "0");
    let message = RateLimitResponse::decode(body.slice(5..)).unwrap();
    assert_eq!(message.overall_code, 2);
    assert!(message.raw_body.starts_with(b"the headers of this request"));
    drop(sender);
    line.ended().await;
}

#[tokio::test]
async fn whoever_watches_is_told_of_the_end() {
    let mut line = Line::new(patient()).await;
    let mut sender = line.speak().await;
    let request = http::Request::post("http://tollgate/grpc.health.v1.Health/Watch")
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(Full::new(framed(b"")))
        .unwrap();
    let mut watch = sender.send_request(request).await.unwrap().into_body();
    let first = watch.frame().await.unwrap().unwrap().into_data().unwrap();
    assert_eq!(&first[5..], [8, 1], "serving");
    line.stopper.stop();
    let last = watch.frame().await.unwrap().unwrap().into_data().unwrap();
    assert_eq!(&last[5..], [8, 2], "not serving");
    let end = watch.frame().await.unwrap().unwrap().into_trailers().unwrap();
    assert_eq!(end.get("grpc-status").unwrap(), "0");
    line.ended().await;
}

#[tokio::test]
async fn half_a_question_is_not_waited_for_long() {
    let timers = Timers { request: Duration::from_millis(50), ..patient() };
    let mut line = Line::new(timers).await;
    let mut client = line.client.take().unwrap();
    let whole = framed(&request(&[descriptor("user_id=alice")]).encode_to_vec());
    let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_vec();
    let mut head = Vec::new();
    for (name, value) in [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", ASK),
        ("content-type", "application/grpc"),
    ] {
        head.push(0);
        for text in [name, value] {
            head.push(u8::try_from(text.len()).unwrap());
            head.extend_from_slice(text.as_bytes());
        }
    }
    bytes.extend_from_slice(&[0, 0, u8::try_from(head.len()).unwrap(), 1, 4, 0, 0, 0, 1]);
    bytes.extend_from_slice(&head);
    // All but the last byte, and the stream stays open.
    let half = &whole[..whole.len() - 1];
    bytes.extend_from_slice(&[0, 0, u8::try_from(half.len()).unwrap(), 0, 0, 0, 0, 0, 1]);
    bytes.extend_from_slice(half);
    client.write_all(&bytes).await.unwrap();
    let mut heard = Vec::new();
    let told = timeout(SOON, async {
        // A head that is the end: the status stands in it.
        while !heard.windows(6).any(|some| some == [1, 5, 0, 0, 0, 1]) {
            assert_ne!(client.read_buf(&mut heard).await.unwrap(), 0, "{heard:?}");
        }
    });
    told.await.unwrap();
    drop(client);
    line.ended().await;
}

#[tokio::test]
async fn whoever_has_no_room_for_an_answer_is_left() {
    let timers = Timers { write: Duration::from_millis(50), ..patient() };
    let mut line = Line::new(timers).await;
    let stream = TokioIo::new(line.client.take().unwrap());
    let mut builder = hyper::client::conn::http2::Builder::new(TokioExecutor::new());
    let builder = builder.initial_stream_window_size(0);
    let (mut sender, connection) = builder.handshake(stream).await.unwrap();
    line.served.spawn(async move { drop(connection.await) });
    let request = http::Request::post(format!("http://tollgate{ASK}"))
        .header("content-type", "application/grpc")
        .body(Full::new(question()))
        .unwrap();
    let answer = sender.send_request(request).await.unwrap();
    let body = timeout(SOON, answer.into_body().collect()).await.unwrap();
    assert!(body.is_err(), "it is cut off");
    drop(sender);
    line.ended().await;
}
