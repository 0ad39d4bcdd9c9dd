//! The service.

use std::{
    mem,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use tower_service::Service;

use crate::{
    Decide, Key, RequestHead, ResponseBody, ResponseFuture, Step, future::Held, rig::Rig, way::Way,
};

/// A service with limits before it: see [`TollgateLayer`](crate::TollgateLayer).
///
/// ```
/// use tollgate_tower::{Tollgate, TollgateLayer};
/// use tower_layer::Layer as _;
///
/// let layer = TollgateLayer::embedded("100/min")?;
/// let service: Tollgate<&str, _, _> = layer.layer("any service");
/// # Ok::<(), tollgate_tower::Error>(())
/// ```
#[derive(Debug)]
pub struct Tollgate<S, D, K> {
    inner: S,
    rig: Arc<Rig<D, K>>,
}

impl<S, D, K> Tollgate<S, D, K> {
    pub(crate) const fn new(inner: S, rig: Arc<Rig<D, K>>) -> Self {
        Self { inner, rig }
    }
}

impl<S: Clone, D, K> Clone for Tollgate<S, D, K> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), rig: Arc::clone(&self.rig) }
    }
}

impl<S, D, K, A, B> Service<Request<A>> for Tollgate<S, D, K>
where
    S: Service<Request<A>, Response = Response<B>> + Clone,
    B: Body<Data = Bytes>,
    D: Decide,
    K: Key,
{
    type Response = Response<ResponseBody<B>>;
    type Error = S::Error;
    type Future = ResponseFuture<S, A, D::Asking>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<A>) -> Self::Future {
        let rig = &self.rig;
        let decided = match rig.ask(&RequestHead::of(&request)) {
            Step::Now(decided) => decided,
            Step::Later(asking) => {
                let settings = Arc::clone(&rig.settings);
                let held = Held::new(self.ready(), request);
                return ResponseFuture::ask(asking, held, settings);
            }
        };
        let limits = || rig.decider.limits();
        match rig.settings.way(decided, request.headers(), limits) {
            Way::Answer(response) => ResponseFuture::answer(response),
            Way::Free => ResponseFuture::pass(self.inner.call(request), None),
            Way::Pass(passing) => {
                let shown = passing.note(request.extensions_mut());
                ResponseFuture::pass(self.inner.call(request), Some(shown))
            }
            Way::Wait(delay, passing) => {
                let shown = passing.note(request.extensions_mut());
                let held = Held::new(self.ready(), request);
                ResponseFuture::wait(delay, held, shown)
            }
        }
    }
}

impl<S: Clone, D, K> Tollgate<S, D, K> {
    /// The service that said it is ready. A copy of it has said nothing of the kind, so that is what stays behind.
    fn ready(&mut self) -> S {
        let copy = self.inner.clone();
        mem::replace(&mut self.inner, copy)
    }
}
