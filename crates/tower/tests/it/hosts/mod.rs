//! The layer in axum, tonic and hyper, over real sockets: the examples as they are shipped.
// Proves: L2

mod axum;
mod client;
mod hyper;
mod tonic;

#[allow(dead_code, reason = "its `main` is for people")]
#[path = "../../../examples/axum_service.rs"]
mod axum_service;
#[allow(dead_code, reason = "its `main` is for people")]
#[path = "../../../examples/hyper_client.rs"]
mod hyper_client;
#[allow(dead_code, reason = "its `main` is for people")]
#[path = "../../../examples/tonic_service.rs"]
mod tonic_service;

use std::{error::Error, future::Future, net::SocketAddr};

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt as _, Empty};
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use tokio::net::TcpListener;

/// An answer, all of it.
type Reply = http::Response<Bytes>;

/// A socket on a free port.
async fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

/// Tells a story while the server runs.
async fn beside(
    server: impl Future<Output = Result<(), Box<dyn Error>>>,
    story: impl Future<Output = ()>,
) {
    tokio::select! {
        ended = server => panic!("the server ended: {ended:?}"),
        () = story => {}
    }
}

async fn ask(request: Request<Empty<Bytes>>) -> Reply {
    let client = Client::builder(TokioExecutor::new()).build_http();
    let (head, body) = client.request(request).await.unwrap().into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    Reply::from_parts(head, body)
}

fn get(address: SocketAddr, path: &str) -> http::request::Builder {
    Request::get(format!("http://{address}{path}"))
}

fn number(reply: &Reply, name: &str) -> u64 {
    let value = reply.headers()[name].to_str().unwrap();
    value.parse().unwrap()
}
