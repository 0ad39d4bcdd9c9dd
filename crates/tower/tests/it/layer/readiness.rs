//! The service that said it is ready is the one that is called.

use std::{
    convert::Infallible,
    future::{Ready, ready},
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{Empty, Full};
use tollgate::{AlgorithmName, Limit, ManualClock, RateLimiter};
use tollgate_tower::TollgateLayer;
use tower::{Layer as _, Service, ServiceExt as _};

/// Must be asked whether it is ready, each time; copies are not.
#[derive(Default)]
struct Fussy {
    is_ready: bool,
}

impl Clone for Fussy {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Service<Request<Empty<Bytes>>> for Fussy {
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.is_ready = true;
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<Empty<Bytes>>) -> Self::Future {
        assert!(std::mem::take(&mut self.is_ready), "called without being ready");
        ready(Ok(Response::default()))
    }
}

fn is_send<T: Send>(future: T) -> T {
    future
}

// Proves: L2
#[tokio::test(start_paused = true)]
async fn whoever_is_ready_is_called_at_once_or_later() {
    let limit = "2/s".parse::<Limit>().unwrap();
    let limit = limit.with_algorithm(AlgorithmName::LeakyBucket).unwrap();
    let limit = limit.with_burst(3).unwrap();
    let limiter = RateLimiter::builder().limit(limit).clock(ManualClock::start());
    let layer = TollgateLayer::embedded(Arc::new(limiter.build())).unwrap();
    let mut service = layer.layer(Fussy::default());
    for _ in 0..4 {
        let answering = service.ready().await.unwrap().call(Request::default());
        assert_eq!(is_send(answering).await.unwrap().status(), 200);
    }
    let denied = service.ready().await.unwrap().call(Request::default());
    assert_eq!(denied.await.unwrap().status(), 429);
}

// Proves: L2
#[tokio::test]
async fn whoever_is_ready_is_called_after_a_server_was_asked() {
    // Nobody listens there: the fallback of the client decides, after it tried.
    let address = tollgate_testkit::free_address();
    let layer = TollgateLayer::remote(format!("http://{address}").as_str()).unwrap();
    let mut service = layer.layer(Fussy::default());
    for _ in 0..3 {
        let answering = service.ready().await.unwrap().call(Request::default());
        assert_eq!(is_send(answering).await.unwrap().status(), 200);
    }
}
