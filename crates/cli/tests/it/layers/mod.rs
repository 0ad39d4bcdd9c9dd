//! The tower layer against a real server.

mod alike;
mod notices;
mod refusals;

use std::{convert::Infallible, net::SocketAddr, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt as _, Empty, Full};
use tollgate_client::Client;
use tollgate_tower::{Decide, Key, Remote, TollgateLayer};
use tower::{Layer, ServiceExt as _, service_fn};

/// What a client got.
#[derive(Debug)]
struct Got {
    status: u16,
    headers: HeaderMap,
    body: Bytes,
}

/// A machine that builds other things meanwhile is no server that is slow.
const PATIENCE: Duration = Duration::from_secs(30);

/// A client of the server at this address that waits however long it takes.
fn client(scheme: &str, address: SocketAddr) -> tollgate_client::Builder {
    Client::builder(&format!("{scheme}://{address}")).deadline(PATIENCE)
}

/// A layer that asks the server at this address.
fn remote(scheme: &str, address: SocketAddr) -> TollgateLayer<Remote> {
    TollgateLayer::remote(client(scheme, address).build().unwrap()).unwrap()
}

/// Sends a request through a layer to a service that says yes.
async fn send<D: Decide, K: Key>(
    layer: &TollgateLayer<D, K>,
    request: http::request::Builder,
) -> Got {
    let service = service_fn(async |_: Request<Empty<Bytes>>| {
        Ok::<_, Infallible>(Response::new(Full::new(Bytes::from("yes"))))
    });
    let request = request.body(Empty::new()).unwrap();
    let response = layer.layer(service).oneshot(request).await.unwrap();
    let (head, body) = response.into_parts();
    Got {
        status: head.status.as_u16(),
        headers: head.headers,
        body: body.collect().await.unwrap().to_bytes(),
    }
}
