//! In hyper alone.

use std::convert::Infallible;

use ::hyper::{body::Incoming, server::conn::http1};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{Empty, Full};
use hyper_util::{rt::TokioIo, service::TowerToHyperService};
use tollgate_tower::{PeerAddr, TollgateLayer, peer_ip};
use tower::{Layer as _, ServiceExt as _, service_fn};

use super::{ask, beside, get, listener};

// Proves: L2, I4
#[tokio::test]
async fn a_server_that_notes_the_peer_is_limited_by_it() {
    let (listener, address) = listener().await;
    let behind = peer_ip().behind(["127.0.0.0/8"]).unwrap();
    let layer = TollgateLayer::embedded("2/day").unwrap().key(behind);
    let hello = service_fn(async |_: Request<Incoming>| {
        Ok::<_, Infallible>(Response::new(Full::new(Bytes::from("hello"))))
    });
    let limited = layer.layer(hello);
    let server = async {
        loop {
            let (stream, peer) = listener.accept().await?;
            let service = limited.clone().map_request(move |mut request: Request<Incoming>| {
                request.extensions_mut().insert(PeerAddr(peer));
                request
            });
            let service = TowerToHyperService::new(service);
            let connection = http1::Builder::new()
                .keep_alive(false)
                .serve_connection(TokioIo::new(stream), service);
            connection.await?;
        }
    };
    beside(server, async {
        // What stands to the left was written by the client itself.
        let from = async |forwarded: &str| {
            let request = get(address, "/").header("x-forwarded-for", forwarded);
            let reply = ask(request.body(Empty::new()).unwrap()).await;
            reply.status().as_u16()
        };
        assert_eq!(from("6.6.6.1, 192.0.2.1").await, 200);
        assert_eq!(from("6.6.6.2, 192.0.2.1").await, 200);
        assert_eq!(from("6.6.6.3, 192.0.2.1").await, 429);
        // One client has all of a /64.
        assert_eq!(from("2001:db8:0:1::1").await, 200);
        assert_eq!(from("2001:db8:0:1:2::2").await, 200);
        assert_eq!(from("2001:db8:0:1:3::3").await, 429);
        assert_eq!(from("2001:db8:0:2::1").await, 200);
    })
    .await;
}
