//! What the layer does with requests, without a socket.

mod answers;
mod keys;
mod readiness;
mod stories;
mod warnings;

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use bytes::Bytes;
use http::{Request, Response, header::HeaderMap};
use http_body_util::{BodyExt as _, Empty, Full};
use serde_json::Value;
use tollgate::{ManualClock, MemoryStore, RateLimiter};
use tollgate_tower::{Decide, Key, Outcome, TollgateLayer};
use tower::{Layer as _, ServiceExt as _, service_fn};

/// What a client got.
#[derive(Debug)]
struct Got {
    status: u16,
    headers: HeaderMap,
    body: Bytes,
}

impl Got {
    #[track_caller]
    fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.unwrap_or_else(|| panic!("no {name}: {self:?}")).to_str().unwrap()
    }

    fn has(&self, name: &str) -> bool {
        self.headers.contains_key(name)
    }

    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// Sends a request through the layer to a service that says what is left.
async fn send<D: Decide, K: Key>(
    layer: &TollgateLayer<D, K>,
    request: http::request::Builder,
) -> Got {
    let service = service_fn(async |request: Request<Empty<Bytes>>| {
        let outcome = request.extensions().get::<Outcome>();
        let said = outcome.map(|outcome| (outcome.is_allowed(), outcome.remaining()));
        Ok::<_, Infallible>(Response::new(Full::new(Bytes::from(format!("{said:?}")))))
    });
    got(layer.layer(service), request).await
}

/// Sends a request through any service.
async fn got<S, B>(service: S, request: http::request::Builder) -> Got
where
    S: tower::Service<Request<Empty<Bytes>>, Response = Response<B>, Error = Infallible>,
    B: http_body::Body<Data = Bytes, Error: std::fmt::Debug>,
{
    let request = request.body(Empty::new()).unwrap();
    let (head, body) = service.oneshot(request).await.unwrap().into_parts();
    Got {
        status: head.status.as_u16(),
        headers: head.headers,
        body: body.collect().await.unwrap().to_bytes(),
    }
}

fn get(path: &str) -> http::request::Builder {
    Request::get(path)
}

/// A limiter on a clock that is moved by hand.
fn limiter(limits: &str) -> (Arc<RateLimiter<MemoryStore<ManualClock>>>, ManualClock) {
    let clock = ManualClock::start();
    let limits = limits.parse().unwrap();
    let limiter = RateLimiter::builder().limits(limits).clock(clock.clone());
    (Arc::new(limiter.build()), clock)
}

/// Counts.
#[derive(Clone, Default)]
struct Counter(Arc<AtomicU64>);

impl Counter {
    fn add(&self) {
        self.0.fetch_add(1, Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}
