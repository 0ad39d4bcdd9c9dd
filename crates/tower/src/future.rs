//! The future of a response.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use pin_project_lite::pin_project;
use tokio::time::{Sleep, sleep};
use tower_service::Service;

use crate::{Decided, ResponseBody, settings::Settings, shown::Shown, way::Way};

pin_project! {
    /// The future of a response that goes through the layer. With an embedded limiter or gate nothing in it is boxed.
    ///
    /// ```
    /// use tollgate_tower::ResponseFuture;
    ///
    /// fn is_send<S, B, A: Send>(future: ResponseFuture<S, B, A>) -> impl Send
    /// where
    ///     S: tower_service::Service<http::Request<B>, Future: Send> + Send,
    ///     B: Send,
    /// {
    ///     future
    /// }
    /// ```
    pub struct ResponseFuture<S, B, A>
    where
        S: Service<Request<B>>,
    {
        #[pin]
        state: State<S::Future, A, Held<S, B>>,
    }
}

pin_project! {
    #[project = StateProjection]
    enum State<F, A, H> {
        /// The answer is ours.
        Answer { response: Option<Response<Bytes>> },
        /// The service answers.
        Pass { #[pin] answering: F, shown: Option<Shown> },
        /// Somebody else decides.
        Ask { #[pin] asking: A, held: Option<H>, settings: Arc<Settings> },
        /// The request waits its turn.
        Wait { #[pin] sleep: Sleep, held: Option<H>, shown: Option<Shown> },
    }
}

/// A request, and the service that is ready for it.
pub(crate) struct Held<S, B> {
    service: S,
    request: Request<B>,
}

impl<S, B> Held<S, B> {
    pub(crate) const fn new(service: S, request: Request<B>) -> Self {
        Self { service, request }
    }
}

impl<S, B> Held<S, B>
where
    S: Service<Request<B>>,
{
    fn call(mut self) -> S::Future {
        self.service.call(self.request)
    }
}

impl<S, B, A> ResponseFuture<S, B, A>
where
    S: Service<Request<B>>,
{
    pub(crate) const fn answer(response: Response<Bytes>) -> Self {
        let response = Some(response);
        let state = State::Answer { response };
        Self { state }
    }

    pub(crate) const fn pass(answering: S::Future, shown: Option<Shown>) -> Self {
        let state = State::Pass { answering, shown };
        Self { state }
    }

    pub(crate) const fn ask(asking: A, held: Held<S, B>, settings: Arc<Settings>) -> Self {
        let held = Some(held);
        let state = State::Ask { asking, held, settings };
        Self { state }
    }

    pub(crate) fn wait(delay: Duration, held: Held<S, B>, shown: Shown) -> Self {
        let state = State::Wait { sleep: sleep(delay), held: Some(held), shown: Some(shown) };
        Self { state }
    }
}

impl<S, A, B, R> Future for ResponseFuture<S, B, A>
where
    S: Service<Request<B>, Response = Response<R>>,
    A: Future<Output = Decided>,
    R: Body<Data = Bytes>,
{
    type Output = Result<Response<ResponseBody<R>>, S::Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.project().state;
        loop {
            let next = match state.as_mut().project() {
                StateProjection::Answer { response } => {
                    // Polled once more than the contract allows: there is nothing left to say.
                    let Some(response) = response.take() else {
                        return Poll::Pending;
                    };
                    return Poll::Ready(Ok(response.map(ResponseBody::of_layer)));
                }
                StateProjection::Pass { answering, shown } => {
                    let mut response = ready!(answering.poll(context))?;
                    if let Some(shown) = shown.take() {
                        shown.complete(response.headers_mut());
                    }
                    return Poll::Ready(Ok(response.map(ResponseBody::of_service)));
                }
                StateProjection::Ask { asking, held, settings } => {
                    let decided = ready!(asking.poll(context));
                    let Some(held) = held.take() else {
                        return Poll::Pending;
                    };
                    decided_on(decided, held, settings)
                }
                StateProjection::Wait { sleep, held, shown } => {
                    ready!(sleep.poll(context));
                    let Some(held) = held.take() else {
                        return Poll::Pending;
                    };
                    let shown = shown.take();
                    let answering = held.call();
                    State::Pass { answering, shown }
                }
            };
            state.set(next);
        }
    }
}

/// How a request goes on that others have decided on.
fn decided_on<S, B, A>(
    decided: Decided,
    mut held: Held<S, B>,
    settings: &Settings,
) -> State<S::Future, A, Held<S, B>>
where
    S: Service<Request<B>>,
{
    match settings.way(decided, held.request.headers(), Vec::new) {
        Way::Answer(response) => State::Answer { response: Some(response) },
        Way::Free => State::Pass { answering: held.call(), shown: None },
        Way::Pass(passing) => {
            let shown = Some(passing.note(held.request.extensions_mut()));
            let answering = held.call();
            State::Pass { answering, shown }
        }
        Way::Wait(delay, passing) => {
            let shown = Some(passing.note(held.request.extensions_mut()));
            State::Wait { sleep: sleep(delay), held: Some(held), shown }
        }
    }
}

impl<S, B, A> std::fmt::Debug for ResponseFuture<S, B, A>
where
    S: Service<Request<B>>,
{
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let state = match &self.state {
            State::Answer { .. } => "answer",
            State::Pass { .. } => "pass",
            State::Ask { .. } => "ask",
            State::Wait { .. } => "wait",
        };
        f.debug_tuple("ResponseFuture").field(&state).finish()
    }
}
