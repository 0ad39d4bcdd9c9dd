//! The same requests through one service or another.

use std::{
    convert::Infallible,
    future::{Future as _, Ready, ready},
    hint::black_box,
    num::NonZeroU32,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use axum::body::Body;
use governor::middleware::{NoOpMiddleware, StateInformationMiddleware};
use http::{HeaderValue, Request, Response, header::CONTENT_TYPE};
use tollgate_tower::{Key, TollgateLayer};
use tower_governor::{
    GovernorError, GovernorLayer,
    governor::{GovernorConfig, GovernorConfigBuilder},
    key_extractor::KeyExtractor,
};
use tower_layer::Layer as _;
use tower_service::Service;

use crate::{
    subjects::{limiter, token_bucket},
    workload::Quota,
};

/// A service that is given requests, and says how long they took.
pub(super) type Lane = Box<dyn FnMut(&mut Vec<Request<Body>>) -> Duration>;

/// Answers at once, with the one header field that every service has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plain;

impl Service<Request<Body>> for Plain {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Ready<Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        black_box(&request);
        let mut response = Response::new(Body::empty());
        let plain = HeaderValue::from_static("text/plain");
        response.headers_mut().insert(CONTENT_TYPE, plain);
        ready(Ok(response))
    }
}

/// Requests and responses are dropped on the way: that is part of what they cost.
pub(super) fn lane<S, B>(mut service: S) -> Lane
where
    S: Service<Request<Body>, Response = Response<B>, Error = Infallible> + 'static,
{
    Box::new(move |requests| {
        let mut context = Context::from_waker(Waker::noop());
        let start = Instant::now();
        for request in requests.drain(..) {
            assert!(service.poll_ready(&mut context).is_ready());
            let answering = pin!(service.call(request));
            let Poll::Ready(Ok(response)) = answering.poll(&mut context) else {
                unreachable!("nothing here waits");
            };
            assert!(black_box(&response).status().is_success());
        }
        start.elapsed()
    })
}

/// Our layer, with a limiter that has room for all keys.
pub(super) fn ours(keys: usize, key: impl Key) -> Lane {
    let limiter = limiter(token_bucket(Quota::for_keys(keys)), keys);
    let layer = TollgateLayer::embedded(limiter).expect("a limiter decides");
    lane(layer.key(key).layer(Plain))
}

/// tower_governor's, with the header fields that it can write.
pub(super) fn theirs<K>(keys: usize, key: K) -> Lane
where
    K: KeyExtractor + 'static,
    K::Key: 'static,
{
    let config: GovernorConfig<K, StateInformationMiddleware> =
        config(keys, key).use_headers().finish().expect("a quota");
    lane(GovernorLayer::new(Arc::new(config)).layer(Plain))
}

/// tower_governor's, which writes nothing.
pub(super) fn theirs_silent<K>(keys: usize, key: K) -> Lane
where
    K: KeyExtractor + 'static,
    K::Key: 'static,
{
    let config = config(keys, key).finish().expect("a quota");
    lane(GovernorLayer::new(Arc::new(config)).layer(Plain))
}

fn config<K: KeyExtractor>(keys: usize, key: K) -> GovernorConfigBuilder<K, NoOpMiddleware> {
    let quota = Quota::for_keys(keys);
    let burst = NonZeroU32::new(quota.burst).expect("a burst above zero");
    let mut config = GovernorConfigBuilder::default();
    config.period(quota.interval()).burst_size(burst.get());
    config.key_extractor(key)
}

/// The header by which requests are told apart.
pub(super) const HEADER: &str = "x-api-key";

/// tower_governor keeps keys that are owned and comes without one for headers; this is how its examples make one.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByHeader;

impl KeyExtractor for ByHeader {
    type Key = String;

    fn extract<T>(&self, request: &Request<T>) -> Result<String, GovernorError> {
        let key = request.headers().get(HEADER);
        let key = key.and_then(|key| key.to_str().ok());
        key.map(str::to_owned).ok_or(GovernorError::UnableToExtractKey)
    }
}
